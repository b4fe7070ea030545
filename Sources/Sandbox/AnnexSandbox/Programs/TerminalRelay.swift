package import AnnexLinux
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// Our own terminal while a program has one of the sandbox's: keys go there as they are pressed, what it shows comes here,
/// and the modes come back, however it ends.
package final class TerminalRelay: Sendable {
    private struct State: ~Copyable {
        var saved: termios?
        var isRaw = false
    }

    private let master: Descriptor
    private let readsTerminal: Bool
    private let inward: StreamRelay?
    private let outward: StreamRelay
    private let state = Mutex(State())

    /// - Parameters:
    ///   - readsTerminal: whether our standard input is a terminal, whose keys are then the program's.
    ///   - suspendKey: called when Ctrl-Z, or what our terminal has instead, goes to the program.
    package init(
        _ master: consuming Descriptor, readsTerminal: Bool, suspendKey: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let shown = [STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO].first { isatty($0) == 1 } ?? STDOUT_FILENO
        outward = try StreamRelay(from: master.duplicate(), to: Self.duplicate(shown))
        let key = Self.suspendKey
        inward =
            readsTerminal
            ? try StreamRelay(from: Self.duplicate(STDIN_FILENO), to: master.duplicate()) { keys in
                if key != 0 && keys.contains(key) { suspendKey() }
            } : nil
        self.master = master
        self.readsTerminal = readsTerminal
        resume()
    }

    deinit {
        pause()
    }

    /// What our terminal makes SIGTSTP of; 0: nothing.
    private static var suspendKey: UInt8 {
        var modes = termios()
        // SAFETY: the call writes one struct and keeps nothing.
        guard unsafe tcgetattr(STDIN_FILENO, &modes) == 0 else { return 0x1A }
        // SAFETY: the array of control characters is as long as the constant's place in it says.
        return unsafe withUnsafeBytes(of: &modes.c_cc) { unsafe $0[Int(VSUSP)] }
    }

    private static func duplicate(_ number: Int32) throws(SystemError) -> Descriptor {
        Descriptor(owning: try SystemError.check("fcntl(F_DUPFD_CLOEXEC)", annex_duplicate(number, 3)))
    }

    /// The window has another size now.
    package func takeSize() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where isatty(number) == 1 {
            _ = annex_terminal_copy_size(number, master.number)
            return
        }
    }

    /// Our terminal is as it was before.
    package func pause() {
        state.withLock { state in
            guard state.isRaw, var saved = state.saved else { return }
            state.isRaw = false
            // What the terminal answered to the program's last questions would be typed into what reads it next.
            _ = tcflush(STDIN_FILENO, TCIFLUSH)
            // Not once all was shown: a terminal that was stopped with Ctrl-S shows nothing.
            // SAFETY: the call reads one struct and keeps nothing.
            _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &saved)
        }
    }

    /// Ctrl-C and its like are ours again, while what the program wrote is still shown as it is.
    package func takeKeysBack() {
        state.withLock { state in
            guard state.isRaw, var modes = state.saved else { return }
            modes.c_oflag &= ~tcflag_t(OPOST)
            // SAFETY: the call reads one struct and keeps nothing.
            _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &modes)
        }
    }

    /// Every key is the program's again. Only in the foreground: a background job must not touch the terminal.
    package func resume() {
        guard readsTerminal, tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
        takeSize()
        state.withLock { state in
            var modes = termios()
            // SAFETY: each call reads or writes one struct and keeps nothing.
            guard !state.isRaw, unsafe tcgetattr(STDIN_FILENO, &modes) == 0 else { return }
            state.saved = modes
            unsafe cfmakeraw(&modes)
            state.isRaw = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &modes) == 0
        }
    }

    /// Whether all that the program wrote was shown: `finish` then does not wait.
    package var isCarried: Bool { outward.isDone }

    /// Calls once, when all that the program wrote was shown.
    package func whenCarried(_ job: @escaping @Sendable () -> Void) { outward.whenDone(job) }

    /// Waits until what the program wrote was shown, and leaves our terminal as it was.
    package func finish() {
        _ = outward.finish()
        pause()
    }
}
