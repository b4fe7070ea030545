internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Prints errors on stderr, so that stdout holds only results.
enum StandardError {
    /// SYNC: relaxed: the thread that sets it prints.
    private static let patient = Atomic(true)

    /// Whether a line waits for its reader without limit, or for one second.
    static var isPatient: Bool {
        get { patient.load(ordering: .relaxed) }
        set { patient.store(newValue, ordering: .relaxed) }
    }

    static func print(_ line: String) {
        // Earlier output must appear first.
        fflush(nil)
        var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        if !isPatient && poll(&entry, 1, 1000) == 0 { return }
        let bytes = Array((shown(line) + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    /// A line may repeat text that the caller or another user typed, so no control character may reach the terminal.
    private static func shown(_ line: String) -> String {
        line.split(separator: "\n", omittingEmptySubsequences: false).map { PlainText.shown(String($0)) }
            .joined(separator: "\n")
    }
}
