/// What the flags of open(2) ask for.
struct OpenFlags {
    private let flags: UInt64
    private let kind: ArgumentKind?

    init(_ flags: UInt64, architecture: Architecture) {
        self.flags = flags
        kind = SystemCallTable.of(architecture).kinds["open"]
    }

    /// `O_PATH` asks for nothing but that the file is there; whatever changes or makes one writes.
    var rights: PathRights {
        if has("O_PATH") { return [] }
        var rights: PathRights =
            switch flags & 3 {
            case 0: .read
            case 1: .write
            default: [.read, .write]
            }
        if has("O_TRUNC") || makesEntry { rights.insert(.write) }
        return rights
    }

    var followsLink: Bool { !has("O_NOFOLLOW") && !(has("O_CREAT") && has("O_EXCL")) }

    var makesEntry: Bool { has("O_CREAT") || has("O_TMPFILE") }

    private func has(_ name: String) -> Bool {
        guard let value = kind?.value(named: name) else { return false }
        return flags & value == value
    }
}
