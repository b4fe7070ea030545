import AnnexSandbox
import Glibc

/// When this process stops itself together with the program, as any job of a shell does: only where a person asked for
/// it (Ctrl-Z, SIGTSTP) and a shell can continue us.
///
/// A program that stops by itself is supervised on, and its limits hold. While we are stopped nobody holds them but that
/// of its time: so all of the sandbox is stopped, and stopped again where a timer wakes it.
struct JobControl {
    /// How long the program may take to stop after Ctrl-Z, on a busy machine too; a key that it takes for something else
    /// asks for nothing.
    private static let patience = Duration.seconds(10)

    private let run: SandboxRun
    private let terminal: TerminalRelay?
    /// Whether the reaper can stop every process of the sandbox: those of its own process namespace.
    private let canStopAll: Bool
    private var isStopped = false
    private var asked: ContinuousClock.Instant?

    init(_ run: SandboxRun, _ terminal: TerminalRelay?, canStopAll: Bool) {
        self.run = run
        self.terminal = terminal
        self.canStopAll = canStopAll
    }

    /// A person pressed Ctrl-Z, or somebody sent us SIGTSTP.
    mutating func ask() {
        asked = .now
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
        // Continued, we find SIGCONT pending. Else nobody could have continued us, and a program outside would not have
        // been stopped either.
        if !run.keepingTime({ Self.stop() }) { goOn() }
    }

    /// Whether a terminal's keys are for this process's job.
    private static var isForeground: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return tcgetpgrp(terminal) == getpgrp()
    }

    /// Stops this process. SIGTSTP and not SIGSTOP: the kernel ignores it where no shell could continue us.
    /// - Returns: whether it was stopped, and continued; SIGCONT then waits to be taken.
    static func stop() -> Bool {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        pthread_kill(pthread_self(), SIGTSTP)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGCONT) == 1
    }
}
