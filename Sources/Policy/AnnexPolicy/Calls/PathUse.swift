/// A path that one call names: where its text is, what it begins at, and what the call wants of the file there.
///
/// All of it follows from the call's number and registers. The text itself lies in the caller's memory, which the
/// caller can change at any time: it is fit for a report, never for a decision.
public struct PathUse: Sendable, Hashable {
    /// Where the text is found.
    public enum Text: Sendable, Hashable {
        /// A register points at it; it ends with a NUL.
        case path(register: Int)
        /// A register points at a socket address that is a path where its family is `AF_UNIX`; another register says
        /// how long the address is.
        case socketAddress(register: Int, size: Int)
    }

    /// What the call needs there.
    public enum Need: Sendable, Hashable {
        /// These rights; none: that the path is there at all.
        case rights(PathRights)
        /// What the flags say that `register` points at: `struct open_how` of openat2(2).
        case openHow(register: Int)
    }

    public let text: Text
    /// The register with the descriptor of the directory that a relative path begins at; nil: the working directory.
    public let directory: Int?
    public let need: Need
    /// Whether the call goes on to what a link in the last place leads to.
    public let followsLink: Bool
    /// Whether the call may make the file: then its directory is what must be there.
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
    /// The same use once the flags of `struct open_how` are known.
    public func opened(flags: UInt64, architecture: Architecture = .current) -> PathUse {
        let flags = OpenFlags(flags, architecture: architecture)
        return PathUse(
            text: text, directory: directory, need: .rights(flags.rights), followsLink: flags.followsLink,
            makesEntry: flags.makesEntry)
    }
}
