import Glibc

/// The signals that end a daemon's run.
///
/// Only one signal is taken. Later ones stay pending for the process, and execution passes them on to the restarted
/// program. The sources of swift-service-lifecycle would take those too, and a SIGTERM right after a SIGHUP would be
/// lost (`Docs/Guide/Daemon.md`).
struct LifeSignals: Sendable {
    private static let ending = [SIGTERM, SIGINT]
    private let set: sigset_t

    /// Blocks the signals from now on. Call it before any thread starts, so that no thread takes one and none is lost
    /// before `next` waits for it.
    init() {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in Self.ending + [SIGHUP] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        self.set = set
    }

    /// Waits for the next signal.
    func next() -> Int32 {
        var set = set
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
        return signal
    }

    /// Whether a signal is pending that ends the program.
    var endIsAsked: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return Self.ending.contains { sigismember(&pending, $0) == 1 }
    }
}
