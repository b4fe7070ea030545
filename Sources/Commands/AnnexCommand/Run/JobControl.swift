import AnnexLaunch
internal import AnnexSandbox
import Glibc

/// Decides when this process stops itself together with the program, as a shell's job does. It stops only if a person
/// asked for it (Ctrl-Z, SIGTSTP) and a shell can continue it.
///
/// If the program stops by itself, supervision goes on and its limits hold. While this process is stopped, it enforces
/// no limit except the time limit. It therefore stops the whole sandbox, and stops it again if a timer wakes it.
struct JobControl {
    /// How long the program may take to stop after Ctrl-Z, even on a busy machine. After that the key has no effect,
    /// because the program may use it for something else.
    private static let patience = Duration.seconds(10)

    private let run: SandboxRun
    private let terminal: TerminalRelay?
    /// Whether the reaper can stop every process of the sandbox. It can if the sandbox has a process namespace of its
    /// own.
    private let canStopAll: Bool
    private var isStopped = false
    private var asked: ContinuousClock.Instant?

    init(_ run: SandboxRun, terminal: TerminalRelay?, canStopAll: Bool) {
        self.run = run
        self.terminal = terminal
        self.canStopAll = canStopAll
    }

    /// Called when a person pressed Ctrl-Z, or another process sent SIGTSTP.
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
        // If this process was continued, SIGCONT is pending now. If not, no shell could have continued it, and the
        // kernel ignored SIGTSTP, as it would for a program outside a sandbox.
        if !run.keepingTime({ Self.stop() }) { goOn() }
    }

    /// Whether this process's job gets the terminal's keys.
    private static var isForeground: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return tcgetpgrp(terminal) == getpgrp()
    }

    /// Stops this process with SIGTSTP. SIGSTOP would be wrong: it stops this process even if no shell can continue it.
    /// The kernel ignores SIGTSTP in that case.
    /// - Returns: whether the process was stopped and continued. SIGCONT is then pending.
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
