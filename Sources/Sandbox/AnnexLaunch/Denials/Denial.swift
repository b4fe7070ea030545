public import AnnexLinux
public import AnnexPolicy

/// One kind of denial, however often it occurred. Either seccomp answered a call, or a path of the host is not
/// available to the program.
public struct Denial: Sendable, Hashable {
    /// The thing that was denied.
    public enum Subject: Sendable, Hashable {
        /// The call itself, whatever its arguments.
        case call
        /// A path that an allowed call named.
        case path(DeniedPath)
    }

    /// The result that the program got.
    public enum Answer: Sendable, Hashable {
        /// The call failed with this errno and the program went on.
        case refused(errno: Int32)
        /// The process was killed.
        case ended
        /// The call was performed, because the sandbox only reports. An enforcing sandbox would fail it with this
        /// errno; nil means that it would kill the process.
        case passed(errno: Int32?)
    }

    public let subject: Subject
    /// The kernel's name of the call, for example `socket`.
    public let call: String
    /// The call with its arguments decoded, escaped: `socket(AF_INET, SOCK_STREAM, 0)`.
    public let text: String
    public let answer: Answer
    /// The layers that deny it, each sufficient by itself. The first one answered.
    public let layers: [SandboxLayer]
    /// The line of the policy that decides this; nil if no line covers it.
    public let policyLine: String?
    /// The reason that the policy states on that line.
    public let reason: String?
    /// The policy entry that would allow it, in the policy's own language; nil if none would.
    public let allowedBy: String?
    /// The thread that was denied first.
    public let caller: Caller
    /// How often it occurred up to now.
    public internal(set) var count = 1
    /// The times of the first and the last occurrence, since the listener for the sandbox started.
    public internal(set) var first: Duration = .zero
    public internal(set) var last: Duration = .zero
    /// The chain of calls at the first occurrence; nil if none was made.
    public internal(set) var backtrace: Backtrace?

    /// The identity of a kind: denials with equal keys share one entry.
    struct Key: Hashable {
        let call: String
        let text: String
        let missing: PathRights?
    }

    var key: Key {
        switch subject {
        case .call: Key(call: call, text: text, missing: nil)
        case .path(let path): Key(call: "", text: path.path, missing: path.missing)
        }
    }

    var isOfPath: Bool { if case .path = subject { true } else { false } }
}

/// A path that exists on the host and that the policy does not grant.
public struct DeniedPath: Sendable, Hashable {
    /// The absolute path as the program spelled it.
    let path: String
    /// The rights that the call needed; empty: only that the path exists.
    public let needed: PathRights
    /// The needed rights that the policy does not grant; empty: that the path exists at all.
    public let missing: PathRights
    /// Whether the call would have created the file. Then the host has its directory.
    public let makesEntry: Bool
    /// The option of `annex run` that would grant it; nil if no option can.
    public let option: String?

    /// The path, escaped for display.
    public var shown: Escaped { Escaped(path) }
}
