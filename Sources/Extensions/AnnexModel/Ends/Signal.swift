/// The signal that ended a process, and what the process said and showed of it.
public struct Signal: Sendable, Hashable {
    /// The kernel's number.
    public let number: Int32
    /// The program's own words, for example a Swift trap's message, where it left any.
    public let message: Escaped?

    /// Who called whom when it happened, innermost first, as far as the program shows it. It may lie.
    public let backtrace: [Escaped]

    public init(_ number: Int32, message: Escaped? = nil, backtrace: [Escaped] = []) {
        self.number = number
        self.message = message
        self.backtrace = backtrace
    }

    /// The symbol, for example `SIGSEGV`.
    public var name: String {
        Self.names.indices.contains(Int(number)) && number > 0 ? Self.names[Int(number)] : "signal \(number)"
    }

    /// In the kernel's order, the same on x86-64 and aarch64.
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
