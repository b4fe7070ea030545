internal import AnnexLinux
internal import Logging

extension Connection {
    /// Logs a change of the installed apps: the user, the process and its program. Any process of a user may change
    /// what is installed for that user, and this entry shows which one did. Not for the event loop's thread, because it
    /// inspects the process.
    func record(_ what: String, _ identifier: String) {
        logger.notice(
            "\(what)",
            metadata: [
                "identifier": "\(Escaped(identifier))", "user": "\(user.number)", "host": "\(number)",
                "program": "\(Escaped(program ?? ""))",
            ])
    }

    /// The path of the client's program; nil if it cannot be found. Another process may have the process ID by now, so
    /// the path only counts if the client has not ended.
    private var program: String? {
        guard number > 0, let path = try? Descriptor.directory("/proc/\(number)").linkTarget("exe") else { return nil }
        return process.hasEnded ? nil : path
    }
}
