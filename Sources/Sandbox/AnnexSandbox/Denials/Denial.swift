public import AnnexPolicy

/// One kind of refusal, however often it happened: a call that seccomp answered, or a path that is not there for the
/// program although the host has it.
public struct Denial: Sendable, Hashable {
    /// What was refused.
    public enum Subject: Sendable, Hashable {
        /// The call itself, whatever it is about.
        case call
        /// A path that an allowed call named.
        case path(DeniedPath)
    }

    /// What the program got.
    public enum Answer: Sendable, Hashable {
        /// The call failed with this errno and the program went on.
        case refused(errno: Int32)
        /// The process was ended.
        case ended
        /// It was done all the same, because the sandbox only reports; enforced, it fails with this errno, or ends the
        /// process where there is none.
        case passed(errno: Int32?)
    }

    public let subject: Subject
    /// The kernel's name of the call, for example `socket`.
    public let call: String
    /// The call with its arguments decoded, escaped: `socket(AF_INET, SOCK_STREAM, 0)`.
    public let text: String
    public let answer: Answer
    /// The layers that refuse, each by itself; the first answered.
    public let layers: [SandboxLayer]
    /// Where the policy decides this; nil where no line speaks of it.
    public let policyLine: String?
    /// The reason that the policy states there.
    public let reason: String?
    /// The entry that would allow it, in the policy's own language.
    public let allowedBy: String?
    /// Who was first to ask.
    public let caller: Caller
    /// How often, up to now.
    public internal(set) var count = 1
    /// When for the first and the last time, since the sandbox could be heard of.
    public internal(set) var first: Duration = .zero
    public internal(set) var last: Duration = .zero
    /// Who called whom, the first time; nil where it was not looked at.
    public internal(set) var backtrace: Backtrace?

    /// Refusals of one kind are one entry.
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
