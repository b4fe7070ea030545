import AnnexLaunch
internal import AnnexSandbox
import Glibc

/// Decides when this process stops itself together with the program, as a shell's job does. This process stops only if
/// a person or a process asked for a stop (Ctrl-Z, SIGTSTP), and if a shell can continue this process.
///
/// If the program stops by itself, this process continues to supervise the program and to enforce the program's limits.
/// A stopped process enforces no limit except the time limit. So before this process stops, it stops the whole sandbox.
/// If a timer wakes the sandbox, this process stops it again.
struct JobControl {
    /// How long the program may take to stop after Ctrl-Z. The time is long enough for a busy machine. If the program
    /// has not stopped by then, this process ignores the key, because the program may use the key for another purpose.
    private static let patience = Duration.seconds(10)

    private let run: SandboxRun
    private let terminal: TerminalRelay?
    /// Whether the reaper can stop every process of the sandbox. It can do so if the sandbox has its own process
    /// namespace.
    private let canStopAll: Bool
    private var isStopped = false
    private var asked: ContinuousClock.Instant?
    /// Whether the key Ctrl-Z was passed to the program. If so, the terminal has not sent SIGTSTP to the job.
    private var wasKey = false

    init(_ run: SandboxRun, terminal: TerminalRelay?, canStopAll: Bool) {
        self.run = run
        self.terminal = terminal
        self.canStopAll = canStopAll
    }

    /// Call this function when a person has pressed Ctrl-Z, or another process has sent SIGTSTP.
    /// - Parameter isKey: whether the key was passed to the program. If so, this process must send the signal that the
    ///   terminal would otherwise have sent to every process of the job.
    mutating func ask(isKey: Bool = false) {
        asked = .now
        wasKey = isKey
        stopTogether()
    }

    mutating func programStopped() {
        isStopped = true
        stopTogether()
    }

    mutating func goOn() {
        isStopped = false
        terminal?.resume()
        run.send(SIGCONT)
    }

    private mutating func stopTogether() {
        guard isStopped, let asked, .now - asked < Self.patience else { return }
        self.asked = nil
        guard canStopAll, Self.isForeground else { return }
        run.send(SIGTSTP)
        terminal?.pause()
        // If this process was stopped and continued, SIGCONT is pending now. If SIGCONT is not pending, there is no
        // shell that could continue this process. The kernel has then ignored SIGTSTP, as it would for a program
        // outside a sandbox.
        let isWholeJob = wasKey
        if !run.keepingTime({ Self.stop(wholeJob: isWholeJob) }) { goOn() }
    }

    /// Whether the job of this process receives the terminal's keys.
    private static var isForeground: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return tcgetpgrp(terminal) == getpgrp()
    }

    /// Stops this process with SIGTSTP. If no shell can continue this process, the kernel ignores SIGTSTP. SIGSTOP
    /// would be wrong, because it would stop this process even then.
    /// - Parameter wholeJob: whether to stop the other processes of the job too. The other processes may wait for this
    ///   process, or write into its input. A shell regards a job as stopped only if no process of the job runs.
    /// - Returns: whether the process was stopped and then continued. If so, SIGCONT is pending.
    static func stop(wholeJob: Bool = false) -> Bool {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        // All other threads block the signal. So with either call, this thread gets the signal before the call returns.
        if wholeJob { kill(0, SIGTSTP) } else { pthread_kill(pthread_self(), SIGTSTP) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGCONT) == 1
    }
}
