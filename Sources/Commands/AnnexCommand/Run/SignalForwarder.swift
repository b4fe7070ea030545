import AnnexLaunch
internal import AnnexSandbox
import Glibc
import Synchronization

/// Lets the main thread wait for signals to forward, for a stop of the program, and for the program's end.
///
/// Every forwarded signal is blocked in all threads from the beginning. So no signal is lost or handled twice.
final class SignalForwarder: Sendable {
    enum News: Sendable {
        case stopped
        /// A person pressed the key for this signal on the terminal of this process: SIGINT, SIGQUIT or SIGTSTP. The
        /// keys of this terminal are passed to the program, so no signal reports this key.
        case signalKey(Int32)
        /// The process that started this process has ended.
        case parentEnded
        case ended(SandboxRunReport, [Denial])
    }

    /// The signal that wakes the main thread. By default, the kernel ignores this signal, so it has no other effect.
    private static let wake = SIGURG
    private static let forwarded = [SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT].filter {
        // The reaper stops the program for SIGTSTP, whatever the program does with this signal.
        $0 != SIGTSTP || !inherited.holds($0)
    }

    /// The signals that end a program by default.
    private static let ending = [SIGINT, SIGQUIT, SIGHUP, SIGTERM]

    /// The signals that this process ignored and blocked when it began. The program begins with the same setting. Such
    /// a signal is still sent to the program, which may have a handler for it, but neither the program nor this process
    /// must end because of the signal.
    static let inherited = SignalSetting.ofThisProcess()

    private let news = Mutex<[News]>([])
    private let waiter = pthread_self()
    /// A signal that should have ended the program, but came too late: after the program's end, but before this process
    /// learned of that end.
    private let late = Mutex<Int32?>(nil)
    private let lostParent = Mutex(false)
    private let asked = Mutex(false)
    /// The signals that arrived and were sent to the program.
    private let arrived = Mutex<Set<Int32>>([])
    /// The signals whose keys were passed to the program, with the time of the last key.
    private let keys = Mutex<[Int32: ContinuousClock.Instant]>([:])
    /// How long after a key the end of the program is the effect of the key. A program can send itself the same signal at
    /// any later time, and must not end the caller's job by it.
    private static let effect = Duration.seconds(5)
    private let noticesPorts: Bool
    private let listened = Mutex<[UInt16]>([])

    /// Call this initialiser on the thread that will wait. No other thread handles signals.
    /// - Parameter noticesPorts: whether to look at which ports the program listens when a signal asks it to end.
    init(noticesPorts: Bool) {
        self.noticesPorts = noticesPorts
        // `waited` reads the inherited setting before this function changes the setting.
        var set = Self.waited
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // If the reader of this process's output closes it, a write fails, and the failure is reported.
        signal(SIGPIPE, SIG_IGN)
    }

    private static var waited: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in forwarded + [SIGWINCH, wake] { sigaddset(&set, number) }
        return set
    }

    func post(_ item: News) {
        news.withLock { $0.append(item) }
        wakeUp()
    }

    /// Makes the main thread check again the condition for which `wait` waits.
    func wakeUp() { pthread_kill(waiter, Self.wake) }

    /// Forwards signals until the program has ended.
    func serve(_ run: SandboxRun, terminal: TerminalRelay?, job: JobControl) -> (SandboxRunReport, [Denial]) {
        var job = job
        while true {
            guard let number = next() else { continue }
            if number == Self.wake {
                if let end = handleNews(of: run, for: &job) { return end }
            } else {
                handle(number, run: run, terminal: terminal, job: &job)
            }
        }
    }

    /// Whether a signal arrived that usually ends a program.
    var hasAskedForEnd: Bool { asked.withLock { $0 } }

    private func handle(_ number: Int32, run: SandboxRun, terminal: TerminalRelay?, job: inout JobControl) {
        arrived.withLock { _ = $0.insert(number) }
        if Self.ends(number) {
            asked.withLock { $0 = true }
            if noticesPorts, let process = run.number {
                listened.withLock { $0 = ListeningPorts.ofProcess(process) }
            }
        }
        switch number {
        case SIGWINCH: terminal?.copySize()
        case SIGCONT: job.goOn()
        case SIGTERM where Self.ends(SIGTERM), SIGHUP where Self.ends(SIGHUP):
            recordLate(number, isSent: run.stop(number))
        case SIGTSTP:
            run.send(number)
            job.ask()
        default: recordLate(number, isSent: run.send(number))
        }
    }

    /// Whether a signal of this number ends this process in the usual way.
    private static func ends(_ number: Int32) -> Bool { ending.contains(number) && !inherited.holds(number) }

    private func recordLate(_ number: Int32, isSent: Bool) {
        if !isSent, Self.ends(number) { late.withLock { $0 = number } }
    }

    private func handleNews(of run: SandboxRun, for job: inout JobControl) -> (SandboxRunReport, [Denial])? {
        let items = news.withLock { news in
            defer { news = [] }
            return news
        }
        for item in items {
            switch item {
            case .ended(let report, let denials): return (report, denials)
            case .stopped: job.programStopped()
            case .signalKey(SIGTSTP): job.ask(isKey: true)
            case .signalKey(let number): keys.withLock { $0[number] = .now }
            case .parentEnded: orphaned(run)
            }
        }
        return nil
    }

    private func orphaned(_ run: SandboxRun) {
        lostParent.withLock { $0 = true }
        run.stopAsOrphan()
    }

    /// The ports at which the program listened in its own network when a signal asked it to end.
    var listenedPorts: [UInt16] { listened.withLock { $0 } }

    /// Whether the parent ended while the program ran.
    var hasLostParent: Bool { lostParent.withLock { $0 } }

    /// Whether the parent ended after the program, of which `serve` did not learn any more.
    private func losesParent() -> Bool {
        news.withLock { news in
            news.contains { if case .parentEnded = $0 { true } else { false } }
        }
    }

    /// The next signal; nil if none arrives before the deadline.
    private func next(before deadline: ContinuousClock.Instant? = nil) -> Int32? {
        var set = Self.waited
        var number: Int32 = 0
        guard let deadline else {
            sigwait(&set, &number)
            return number
        }
        let left = max(.zero, deadline - .now).components
        var time = timespec(tv_sec: Int(left.seconds), tv_nsec: Int(left.attoseconds / 1_000_000_000))
        number = sigtimedwait(&set, nil, &time)
        return number > 0 ? number : nil
    }
}

// MARK: - After the program's end

extension SignalForwarder {
    /// Why the run stopped waiting for the program's output: a signal, or the deadline.
    enum Impatience {
        case signal(Int32)
        case parentEnded
        case late
    }

    /// Waits until a condition holds. The thread that makes the condition true must call `wakeUp`.
    /// - Returns: nil if the condition holds. Otherwise the event that ended the wait: a signal that ends a program by
    ///   default, or the deadline.
    func wait(
        before deadline: ContinuousClock.Instant, _ terminal: TerminalRelay?, until holds: () -> Bool
    ) -> Impatience? {
        while !holds() {
            if let number = late.withLock({ $0 }) { return .signal(number) }
            if losesParent() { return .parentEnded }
            switch next(before: deadline) {
            case .some(let number) where Self.ends(number): return .signal(number)
            case SIGTSTP:
                terminal?.pause()
                _ = JobControl.stop()
            case SIGWINCH, SIGCONT: break
            default: if .now >= deadline { return holds() ? nil : .late }
            }
        }
        return nil
    }

    /// The signal by which this process must end, because it came from outside and ended the program too. Nil if the
    /// program ended otherwise, or if this process stopped waiting for the output for another cause.
    func shared(with report: SandboxRunReport, _ impatience: Impatience?) -> SharedSignal? {
        switch impatience {
        case .signal(let number): return SharedSignal(number, isKey: false)
        case .parentEnded, .late: return nil
        case nil: break
        }
        guard report.reason == .crashed, let number = report.signal else { return nil }
        if arrived.withLock({ $0.contains(number) }) { return SharedSignal(number, isKey: false) }
        guard let time = keys.withLock({ $0[number] }), .now - time < Self.effect else { return nil }
        return SharedSignal(number, isKey: true)
    }

    /// From now on, signals end this process in the usual way.
    func close() {
        var set = sigset_t()
        sigemptyset(&set)
        for number in Self.ending where Self.ends(number) { sigaddset(&set, number) }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}
