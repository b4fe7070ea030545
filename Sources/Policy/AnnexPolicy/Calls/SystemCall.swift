/// A system call of one architecture.
public struct SystemCall: Sendable, Hashable {
    /// The kernel's name, for example `openat`.
    public let name: String
    /// The call's number on `architecture`.
    public let number: Int32
    public let architecture: Architecture
    /// The meaning of each register; nil if the table has no entry for the call.
    package let arguments: [Argument]?

    /// One argument.
    package struct Argument: Sendable, Hashable {
        package let name: String
        package let kind: ArgumentKind
    }

    /// The call with that name; nil if this architecture has no such call.
    public init?(named name: String, architecture: Architecture = .current) {
        guard let call = SystemCallTable.of(architecture).byName[name] else { return nil }
        self = call
    }

    /// The call with that number; nil if no kernel known to Annex has such a call.
    public init?(number: Int32, architecture: Architecture = .current) {
        guard let call = SystemCallTable.of(architecture).byNumber[number] else { return nil }
        self = call
    }

    package init(name: String, number: Int32, architecture: Architecture, arguments: [Argument]?) {
        self.name = name
        self.number = number
        self.architecture = architecture
        self.arguments = arguments
    }

    /// The registers (0…5) that point at a path or another text in the memory of the calling program.
    ///
    /// The program can change that text at any time. The text may appear in a report, but no decision may depend on it.
    public var pathArguments: [Int] {
        (arguments ?? []).indices.filter { arguments?[$0].kind.name == "path" }
    }
}

extension SystemCall {
    /// The paths that this call names with these registers, in the order of the table. `rename` and similar calls name
    /// two paths.
    public func pathUses(_ arguments: [UInt64]) -> [PathUse] {
        pathRules.compactMap { $0.use(arguments, architecture: architecture) }
    }

    /// Whether the call can name a path.
    public var takesPaths: Bool { !pathRules.isEmpty }

    var pathRules: [PathRule] { PathRule.byCall[name] ?? [] }
}

extension PathRule {
    /// The table of paths by call. It is read once.
    fileprivate static let byCall: [String: [PathRule]] = Dictionary(
        grouping: table[...].parts(between: .lineEnd).compactMap { PathRule(line: $0) }, by: \.call)
}

/// A processor architecture whose system calls Annex knows.
public enum Architecture: String, Sendable, Hashable, CaseIterable {
    case x86 = "x86_64"
    case arm = "aarch64"

    /// The architecture that this code was built for.
    public static var current: Architecture {
        #if arch(x86_64)
            .x86
        #elseif arch(arm64)
            .arm
        #else
            #error("Annex knows the system calls of x86-64 and aarch64 only")
        #endif
    }

    /// The `AUDIT_ARCH_*` value that a filter gets from the kernel with every call.
    package var audit: UInt32 {
        switch self {
        case .x86: 0xC000_003E
        case .arm: 0xC000_00B7
        }
    }
}
