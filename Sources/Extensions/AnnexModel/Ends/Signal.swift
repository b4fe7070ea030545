/// The signal that ended a process, with the message and the call stack that the process left.
public struct Signal: Sendable, Hashable {
    /// The kernel's number of the signal.
    public let number: Int32
    /// The program's last message, for example that of a Swift trap; nil if it left none.
    public let message: Escaped?

    /// The call stack at the signal, innermost frame first. The program reports it itself, so it may be false or empty.
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

    /// In the order of the kernel's numbers, which x86-64 and aarch64 share.
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
