internal import AnnexLinux
public import AnnexPolicy

/// One expectation about a policy: a call or path that it must allow or deny. It is a test of the policy.
public struct Expectation: Sendable, Hashable {
    /// The call or path that is tested.
    package enum Subject: Sendable, Hashable {
        case call(SystemCall, arguments: [UInt64])
        case path(String, PathRights)
    }

    /// The expected result.
    package enum Wanted: Sendable, Hashable {
        case allowed
        /// The subject must be denied. Nil accepts any answer, or any layer.
        case denied(answer: Answer?, layer: SandboxLayer?)
    }

    /// The way in which the subject is denied.
    package enum Answer: Sendable, Hashable {
        case errno(Int32)
        /// The process is ended.
        case end
    }

    package let subject: Subject
    package let wanted: Wanted
    /// The place that states the expectation.
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
