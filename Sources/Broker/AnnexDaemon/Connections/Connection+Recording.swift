internal import AnnexLinux
internal import Logging

extension Connection {
    /// One line in the log for each change of what is installed: who asked for it, and by which program. Any process of a
    /// user may change what is installed for him, so this is how he finds out which one did. Not for the event loop's
    /// thread: it looks at the process.
    func record(_ what: String, _ identifier: String) {
        logger.notice(
            "\(what)",
            metadata: [
                "identifier": "\(Escaped(identifier))", "user": "\(user.number)", "host": "\(number)",
                "program": "\(Escaped(program ?? ""))",
            ])
    }

    /// The client's program; nil where it cannot be told. Another process may have the number by now, unless this one is
    /// there still.
    private var program: String? {
        guard number > 0, let path = try? Descriptor.directory("/proc/\(number)").linkTarget("exe") else { return nil }
        return process.hasEnded ? nil : path
    }
}
