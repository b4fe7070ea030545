/// A path that one call names. The value states where the path's text is, in which directory a relative path starts,
/// and which rights the call needs on the file.
///
/// All of these facts are derived from the call's number and registers. The text itself lies in the memory of the
/// calling program, which can change it at any time. The text may appear in a report, but no decision may depend on it.
public struct PathUse: Sendable, Hashable {
    /// The location of the path's text.
    public enum Text: Sendable, Hashable {
        /// A register points at the text, which ends with a NUL.
        case path(register: Int)
        /// A register points at a socket address, which holds a path if its family is `AF_UNIX`. The register `size`
        /// holds the length of the address.
        case socketAddress(register: Int, size: Int)
    }

    /// The rights that the call needs on the file.
    public enum Need: Sendable, Hashable {
        /// These rights. An empty set means that the path only has to exist.
        case rights(PathRights)
        /// The rights for the flags in the `struct open_how` of openat2(2). `register` points at this structure.
        case openHow(register: Int)
    }

    public let text: Text
    /// The register with the descriptor of the directory that a relative path starts from; nil for the working
    /// directory.
    public let directory: Int?
    public let need: Need
    /// Whether the call follows the last component of the path if that component is a link.
    public let followsLink: Bool
    /// Whether the call may create the file. In that case only the file's directory must exist.
    public let makesEntry: Bool

    init(text: Text, directory: Int?, need: Need, followsLink: Bool, makesEntry: Bool) {
        self.text = text
        self.directory = directory
        self.need = need
        self.followsLink = followsLink
        self.makesEntry = makesEntry
    }
}

extension PathUse {
    /// This use, with the rights that the flags of its `struct open_how` need.
    public func opened(flags: UInt64, architecture: Architecture = .current) -> PathUse {
        let flags = OpenFlags(flags, architecture: architecture)
        return PathUse(
            text: text, directory: directory, need: .rights(flags.rights), followsLink: flags.followsLink,
            makesEntry: flags.makesEntry)
    }
}

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
