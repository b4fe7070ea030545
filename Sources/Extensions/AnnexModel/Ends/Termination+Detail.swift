// Some types of this target have properties of these types. They are declared in AnnexLinux, so that policies and
// sandboxes can use them too.
@_exported public import enum AnnexLinux.EndReason
@_exported public import struct AnnexLinux.Escaped

extension Termination {
    /// A fact that explains the end of a process in more detail than the reason of the end. Text that comes from the
    /// extension is escaped.
    public enum Detail: Sendable, Hashable {
        case none
        /// The exit code of the process.
        case exitCode(Int32)
        /// The signal that ended the process.
        case signal(Signal)
        /// The limit that was exceeded, for example "64 MiB of 64 MiB".
        case limit(String)
        /// The call that was denied.
        case deniedCall(DeniedCall)
        /// The rule of the channel that was broken.
        case violation(Escaped)
        /// The step of the launch that failed.
        case step(LaunchStep)
        /// The extension's own error.
        case error(ExtensionError)
    }
}

extension Termination.Detail: CustomStringConvertible {
    public var description: String {
        switch self {
        case .none: ""
        case .exitCode(let code): "exit code \(code)"
        case .signal(let signal): signal.description
        case .limit(let text): text
        case .deniedCall(let call): call.description
        case .violation(let text): text.description
        case .step(let step): step.description
        case .error(let error): error.description
        }
    }
}

/// A system call that the sandbox denied.
public struct DeniedCall: Sendable, Hashable {
    /// The call as the kernel names it, for example `socket`.
    public let name: String
    /// The call's arguments in the kernel's names, for example `["AF_INET", "SOCK_STREAM", "0"]`.
    public let arguments: [Escaped]
    /// The layer of the sandbox that denied the call, for example `seccomp`.
    public let layer: String
    /// The line of a policy that would allow the call; nil if no line can allow it.
    public let remedy: String?
    /// How often the call was denied.
    public let count: Int
    /// The call stack of the first denial, innermost frame first. Empty if the program does not reveal its stack.
    public let backtrace: [Escaped]

    public init(
        _ name: String, arguments: [Escaped] = [], layer: String, remedy: String? = nil, count: Int = 1,
        backtrace: [Escaped] = []
    ) {
        self.name = name
        self.arguments = arguments
        self.layer = layer
        self.remedy = remedy
        self.count = count
        self.backtrace = backtrace
    }
}

extension DeniedCall {
    /// What the extension's author can do instead of a call that no line of a policy allows; nil if that is not known.
    public var advice: String? {
        remedy == nil ? Self.advice(for: name, arguments: arguments.map(\.description)) : nil
    }

    package static func advice(for name: String, arguments: [String]) -> String? {
        guard name == "clone", arguments.first?.contains("CLONE_THREAD") ?? false else { return nil }
        return "this call starts a thread, and an extension has one: use async functions and tasks, not Dispatch"
    }
}

extension DeniedCall: CustomStringConvertible {
    public var description: String {
        let remedy = remedy.map { "; allowed by: \($0)" } ?? advice.map { "; \($0)" } ?? ""
        return "\(name)(\(arguments.map(\.description).joined(separator: ", "))) denied by \(layer)\(remedy)"
    }
}

/// The signal that ended a process, with the message and the call stack that the process left behind.
public struct Signal: Sendable, Hashable {
    /// The kernel's number of the signal.
    public let number: Int32
    /// The program's last message, for example the message of a Swift trap; nil if the program left none.
    public let message: Escaped?

    /// The call stack at the signal, innermost frame first. The program itself reports the stack, so it may be false
    /// or empty.
    public let backtrace: [Escaped]

    public init(_ number: Int32, message: Escaped? = nil, backtrace: [Escaped] = []) {
        self.number = number
        self.message = message
        self.backtrace = backtrace
    }

    /// The signal's symbol, for example `SIGSEGV`.
    public var name: String {
        Self.names.indices.contains(Int(number)) && number > 0 ? Self.names[Int(number)] : "signal \(number)"
    }

    /// The names in the order of the kernel's numbers. x86-64 and aarch64 use the same numbers.
    private static let names = [
        "0", "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1",
        "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP",
        "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR",
        "SIGSYS",
    ]
}

extension Signal: CustomStringConvertible {
    public var description: String {
        message.map { "\(name): \($0)" } ?? name
    }
}

/// The step of a launch that failed, its cause, and the remedy.
public struct LaunchStep: Sendable, Hashable {
    /// The step's name in the launch report, for example `pivot_root`.
    public let name: String
    /// The cause of the failure, in one line.
    public let cause: String
    /// The remedy; nil if the remedy is not known.
    public let remedy: String?

    public init(_ name: String, cause: String, remedy: String? = nil) {
        self.name = name
        self.cause = cause
        self.remedy = remedy
    }
}

extension LaunchStep: CustomStringConvertible {
    public var description: String {
        "\(name): \(cause)" + (remedy.map { "; \($0)" } ?? "")
    }
}
