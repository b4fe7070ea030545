internal import AnnexLaunch
package import AnnexLinux
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// Connects this process's terminal with the sandbox's own terminal. Keys go to the program as they are pressed, and
/// the program's output is shown on this process's terminal. At the end, the modes of this process's terminal are
/// restored.
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
    ///   - readsTerminal: whether this process's standard input is a terminal. If so, its keys go to the program.
    ///   - words: receives what the program shows on the terminal.
    ///   - suspendKey: called when the suspend key goes to the program. This key is Ctrl-Z unless the terminal has
    ///     another key for it.
    package init(
        _ master: consuming Descriptor, readsTerminal: Bool, words: LastWords? = nil,
        suspendKey: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let shown = [STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO].first { isatty($0) == 1 } ?? STDOUT_FILENO
        outward = try StreamRelay(from: master.duplicate(), to: Self.duplicate(shown)) { words?.add($0) }
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

    /// The key for which this process's terminal sends SIGTSTP; 0 if there is no such key.
    private static var suspendKey: UInt8 {
        var modes = termios()
        // SAFETY: the call writes one struct and keeps nothing.
        guard unsafe tcgetattr(STDIN_FILENO, &modes) == 0 else { return 0x1A }
        // SAFETY: the array of control characters is longer than the index `VSUSP`.
        return unsafe withUnsafeBytes(of: &modes.c_cc) { unsafe $0[Int(VSUSP)] }
    }

    private static func duplicate(_ number: Int32) throws(SystemError) -> Descriptor {
        Descriptor(owning: try SystemError.check("fcntl(F_DUPFD_CLOEXEC)", annex_duplicate(number, 3)))
    }

    /// Copies the size of this process's window to the program's terminal.
    package func copySize() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where isatty(number) == 1 {
            _ = annex_terminal_copy_size(number, master.number)
            return
        }
    }

    /// Restores the modes of this process's terminal.
    package func pause() {
        state.withLock { state in
            guard state.isRaw, var saved = state.saved else { return }
            state.isRaw = false
            // The terminal may still send replies to the program's last queries. The next program would read these
            // replies as typed input.
            _ = tcflush(STDIN_FILENO, TCIFLUSH)
            // TCSADRAIN would wait until all output was shown. A terminal that was stopped with Ctrl-S shows no output.
            // SAFETY: the call reads one struct and keeps nothing.
            _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &saved)
        }
    }

    /// Lets Ctrl-C and similar keys signal this process again. The program's output is still shown unchanged.
    package func reclaimKeys() {
        state.withLock { state in
            guard state.isRaw, var modes = state.saved else { return }
            modes.c_oflag &= ~tcflag_t(OPOST)
            // SAFETY: the call reads one struct and keeps nothing.
            _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &modes)
        }
    }

    /// Sends every key to the program again. This happens only in the foreground, because a background job must not
    /// change the terminal.
    package func resume() {
        guard readsTerminal, tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
        copySize()
        state.withLock { state in
            var modes = termios()
            // SAFETY: each call reads or writes one struct and keeps nothing.
            guard !state.isRaw, unsafe tcgetattr(STDIN_FILENO, &modes) == 0 else { return }
            state.saved = modes
            unsafe cfmakeraw(&modes)
            state.isRaw = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &modes) == 0
        }
    }

    /// Whether all output of the program has been shown, so that `finish` does not wait.
    package var isCarried: Bool { outward.isDone }

    /// Calls `job` once, when all output of the program has been shown.
    package func whenCarried(_ job: @escaping @Sendable () -> Void) { outward.whenDone(job) }

    /// Waits until all output of the program has been shown, and restores this process's terminal.
    package func finish() {
        _ = outward.finish()
        pause()
    }
}
