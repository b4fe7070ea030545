/// A system call as one architecture knows it.
public struct SystemCall: Sendable, Hashable {
    /// The kernel's name, for example `openat`.
    public let name: String
    /// Its number on `architecture`.
    public let number: Int32
    public let architecture: Architecture
    /// What each register means, as far as the table knows; nil where it knows nothing.
    let arguments: [Argument]?

    /// One argument.
    struct Argument: Sendable, Hashable {
        let name: String
        let kind: ArgumentKind
    }

    /// The call of that name, nil where this architecture has none.
    public init?(named name: String, architecture: Architecture = .current) {
        guard let call = SystemCallTable.of(architecture).byName[name] else { return nil }
        self = call
    }

    /// The call with that number, nil where no kernel known to Annex has one.
    public init?(number: Int32, architecture: Architecture = .current) {
        guard let call = SystemCallTable.of(architecture).byNumber[number] else { return nil }
        self = call
    }

    init(name: String, number: Int32, architecture: Architecture, arguments: [Argument]?) {
        self.name = name
        self.number = number
        self.architecture = architecture
        self.arguments = arguments
    }

    /// Registers (0…5) that point at a path or another text in the caller's memory.
    ///
    /// The caller can change that text at any time: it is fit for a report, never for a decision.
    public var pathArguments: [Int] {
        (arguments ?? []).indices.filter { arguments?[$0].kind.name == "path" }
    }
}
