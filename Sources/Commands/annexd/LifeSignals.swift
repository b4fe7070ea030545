import Glibc

/// The signals that end a daemon's run.
///
/// One is taken. Those that come while a run ends stay with the process, and execution passes them on; the sources of
/// swift-service-lifecycle would take them, too, and a SIGTERM right after a SIGHUP be lost (`Docs/Guide/Daemon.md`).
struct LifeSignals: Sendable {
    private static let ending = [SIGTERM, SIGINT]
    private let set: sigset_t

    /// Blocks them from now on. Before there is any thread, so that none of them takes one: what comes before somebody
    /// waits is not lost.
    init() {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in Self.ending + [SIGHUP] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        self.set = set
    }

    /// Waits for the next one.
    func next() -> Int32 {
        var set = set
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
        return signal
    }

    /// Whether one has come that is to end the program, and nobody has taken it.
    var endIsAsked: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return Self.ending.contains { sigismember(&pending, $0) == 1 }
    }
}
