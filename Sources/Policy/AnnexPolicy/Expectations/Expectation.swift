internal import AnnexLinux

/// One thing that a policy must allow or deny, as its writer means it: a test of the policy.
public struct Expectation: Sendable, Hashable {
    /// What is asked for.
    package enum Subject: Sendable, Hashable {
        case call(SystemCall, arguments: [UInt64])
        case path(String, PathRights)
    }

    /// What must come of it.
    package enum Wanted: Sendable, Hashable {
        case allowed
        /// Nil: any way of refusing, any layer.
        case denied(answer: Answer?, layer: SandboxLayer?)
    }

    /// How it is denied.
    package enum Answer: Sendable, Hashable {
        case errno(Int32)
        /// The process is ended.
        case end
    }

    package let subject: Subject
    package let wanted: Wanted
    /// Where it is expected.
    public let place: PolicyPlace
}

extension Expectation: CustomStringConvertible {
    /// For example `denies ptrace(PTRACE_TRACEME, 0, NULL, 0x0)`.
    public var description: String {
        let verb = wanted == .allowed ? "allows" : "denies"
        return switch subject {
        case .call(let call, let arguments): "\(verb) \(call.describe(arguments: arguments))"
        case .path(let path, let rights): "\(verb) \(rights) on \(Escaped(path))"
        }
    }
}

extension Expectation.Answer {
    package var word: String {
        switch self {
        case .errno(let number): Errno.name(number)
        case .end: "end"
        }
    }
}
