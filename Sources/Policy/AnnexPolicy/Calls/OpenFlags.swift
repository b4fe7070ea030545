/// The flags of open(2), and the rights that they need.
struct OpenFlags {
    private let flags: UInt64
    private let kind: ArgumentKind?

    init(_ flags: UInt64, architecture: Architecture) {
        self.flags = flags
        kind = SystemCallTable.of(architecture).kinds["open"]
    }

    /// The rights that the flags need. `O_PATH` only needs the file to exist. Flags that change or create a file need
    /// the right to write.
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
