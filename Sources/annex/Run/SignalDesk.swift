import AnnexSandbox
import Glibc
import Synchronization

/// Where the main thread waits: for signals to hand on, for the program to stop, and for its end.
///
/// Every signal that it hands on is blocked in all threads from the beginning, so that none is lost or taken twice.
final class SignalDesk: Sendable {
    enum News: Sendable {
        case stopped
        case ended(SandboxRunReport, [Denial])
    }

    /// Wakes the main thread; ignored wherever it is not waited for.
    private static let wake = SIGURG
    private static let forwarded = [SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT]

    private let news = Mutex<[News]>([])
    private let waiter = pthread_self()

    /// On the thread that will wait, before there is any other.
    init() {
        var set = Self.waited
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // Who reads our output may stop: a write then fails, and that is told.
        signal(SIGPIPE, SIG_IGN)
    }

    private static var waited: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in forwarded + [SIGWINCH, wake] { sigaddset(&set, number) }
        return set
    }

    func note(_ item: News) {
        news.withLock { $0.append(item) }
        pthread_kill(waiter, Self.wake)
    }

    /// Until the program has ended.
    func serve(_ run: SandboxRun, _ terminal: TerminalRelay?) -> (SandboxRunReport, [Denial]) {
        var set = Self.waited
        while true {
            var number: Int32 = 0
            sigwait(&set, &number)
            if number == SIGWINCH {
                terminal?.takeSize()
            } else if number == Self.wake {
                if let end = take(terminal) { return end }
            } else {
                handle(number, run, terminal)
            }
        }
    }

    private func handle(_ number: Int32, _ run: SandboxRun, _ terminal: TerminalRelay?) {
        switch number {
        case SIGCONT:
            terminal?.resume()
            run.send(SIGCONT)
        case SIGTERM, SIGHUP: run.stop(number)
        default: run.send(number)
        }
    }

    private func take(_ terminal: TerminalRelay?) -> (SandboxRunReport, [Denial])? {
        let items = news.withLock { news in
            defer { news = [] }
            return news
        }
        for item in items {
            switch item {
            case .ended(let report, let refusals): return (report, refusals)
            case .stopped:
                // As any stopped program: the shell has its terminal back, and `fg` continues us.
                terminal?.pause()
                kill(getpid(), SIGSTOP)
            }
        }
        return nil
    }
}
