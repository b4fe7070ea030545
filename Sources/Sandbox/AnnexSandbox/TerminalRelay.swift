internal import AnnexLaunch
internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// Connects this process's terminal with the sandbox's own terminal. Keys go to the program as they are pressed, and
/// the program's output is shown on this process's terminal. At the end, the modes of this process's terminal are
/// restored.
///
/// If standard input is no terminal, most programs read no keys, and the keys belong to the shell. So keys go to the
/// program only after it has opened its `/dev/tty` or changed its terminal's modes.
package final class TerminalRelay: Sendable {
    private struct State: ~Copyable {
        var saved: termios?
        var isRaw = false
        /// Whether the program wants keys.
        var wantsKeys = false
        /// Whether this process is about to stop or to end. If so, it takes no keys.
        var isPaused = false
        /// Whether the program has ended.
        var isOver = false

        var mayBeRaw: Bool { wantsKeys && !isPaused && !isOver }
    }

    private let master: Descriptor
    private let caller: CallersTerminal
    private let signalKey: @Sendable (Int32) -> Void
    private let state = Mutex(State())
    /// Whether this process's terminal adds a carriage return before each line feed. The program's terminal has already
    /// added one, so this relay drops it from the output. SYNC: relaxed, because each change waits for `writing`, or
    /// can do no more harm than a doubled carriage return.
    private let dropsReturns: Atomic<Bool>
    /// Held while output is written to this process's terminal.
    private let writing = Mutex(())
    private let outward = Mutex<StreamRelay?>(nil)

    /// - Parameters:
    ///   - openings: reports when the program opens its terminal; nil if this process cannot watch for that.
    ///   - words: receives what the program shows on the terminal.
    ///   - signalKey: called with SIGINT, SIGQUIT or SIGTSTP before a key goes to the program for which the terminal
    ///     sends this signal. Usually, these keys are Ctrl-C, Ctrl-\ and Ctrl-Z.
    init(
        _ master: consuming Descriptor, openings: consuming Descriptor?, caller: CallersTerminal, words: LastWords?,
        signalKey: @escaping @Sendable (Int32) -> Void
    ) throws(SystemError) {
        let source = try master.duplicate()
        self.master = master
        self.caller = caller
        self.signalKey = signalKey
        dropsReturns = Atomic(caller.addsReturns)
        let begun = CallersTerminal.modes(of: self.master.number)
        let relay = try StreamRelay(from: source) { [weak self] bytes in
            guard let self else { return EPIPE }
            // The program may have made its terminal raw before it wrote these bytes. If so, this process's terminal
            // must become raw before it shows the bytes.
            if let begun, self.hasChanged(since: begun) { self.takeKeys() } else { self.setRaw() }
            return self.show(bytes, words: words)
        }
        outward.withLock { $0 = relay }
        if caller.isInput { takeKeys() }
        guard let openings = consume openings else { return }
        _ = try StreamRelay(from: openings) { [weak self] _ in
            self?.takeKeys()
            return EPIPE
        }
    }

    deinit {
        pause()
    }

    /// Copies the size of this process's window to the program's terminal.
    package func copySize() {
        _ = annex_terminal_copy_size(caller.shown.number, master.number)
    }

    // MARK: - Output

    private func show(_ bytes: [UInt8], words: LastWords?) -> Int32? {
        writing.withLock { _ in
            let shown = dropsReturns.load(ordering: .relaxed) ? Self.withoutReturns(bytes) : bytes
            words?.add(shown)
            return StreamRelay.write(shown, to: caller.shown)
        }
    }

    /// The bytes without the carriage return before each line feed. If the bytes end between a carriage return and
    /// its line feed, the carriage return is kept. It does no harm, because a second carriage return changes nothing
    /// on the screen.
    private static func withoutReturns(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(0x0D) else { return bytes }
        return bytes.indices.compactMap { index in
            let isPair = bytes[index] == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
            return isPair ? nil : bytes[index]
        }
    }

    /// Whether the program has changed its terminal so that it can read single keys, or keys that are not shown. Such a
    /// program may read the keys from its standard output or error.
    private func hasChanged(since begun: termios) -> Bool {
        guard !state.withLock({ $0.wantsKeys }), let now = CallersTerminal.modes(of: master.number) else {
            return false
        }
        let input = tcflag_t(ICANON) | tcflag_t(ECHO)
        return now.c_lflag & input != begun.c_lflag & input || (now.c_oflag ^ begun.c_oflag) & tcflag_t(OPOST) != 0
    }

    /// Stops dropping carriage returns, because this process's terminal is about to become raw and then adds none.
    /// Output without carriage returns may still be on its way to the terminal, so this function waits until that
    /// output is written. If the terminal is stopped (Ctrl-S), the function gives up after 100 ms.
    private func keepReturns() {
        dropsReturns.store(false, ordering: .relaxed)
        for _ in 0..<20 {
            if writing.withLockIfAvailable({ _ in true }) == true { return }
            usleep(5_000)
        }
    }

    // MARK: - Keys

    /// Sends keys to the program from now on. Only the first call has an effect.
    private func takeKeys() {
        let isFirst = state.withLock { state in
            defer { state.wantsKeys = true }
            return !state.wantsKeys && !state.isOver
        }
        guard isFirst, caller.keys != nil, let target = try? master.duplicate() else { return }
        setRaw()
        let (signals, signalKey) = (caller.signalKeys, signalKey)
        try? KeyRelay.start(from: caller, to: target) { [weak self] in
            self?.readiness() ?? .never
        } seen: { [weak self] keys in
            for number in Set(keys.compactMap { signals[$0] }) where self?.isSignal(number) == true {
                signalKey(number)
            }
        }
    }

    /// Whether a key of a signal is more than a key for the program now. A raw program reads Ctrl-C like every other key.
    /// A supervisor stops the job of a program by Ctrl-Z, whatever the program does with the key.
    private func isSignal(_ number: Int32) -> Bool {
        number == SIGTSTP || CallersTerminal.modes(of: master.number).map { $0.c_lflag & tcflag_t(ISIG) != 0 } == true
    }

    private func readiness() -> KeyRelay.Readiness {
        let (isOver, isPaused) = state.withLock { ($0.isOver, $0.isPaused) }
        if isOver { return .never }
        guard !isPaused, caller.givesKeys else { return .later }
        setRaw()
        return .now
    }

    /// Makes this process's terminal raw, so that it passes on every key. A background job must not change the
    /// terminal, so this function does nothing in the background.
    private func setRaw() {
        guard state.withLock({ $0.mayBeRaw && !$0.isRaw }), caller.isForeground else { return }
        copySize()
        keepReturns()
        state.withLock { state in
            guard !state.isRaw, state.mayBeRaw, caller.isForeground, var modes = caller.modes else { return }
            state.saved = modes
            unsafe cfmakeraw(&modes)
            state.isRaw = caller.set(modes)
        }
        if !state.withLock({ $0.isRaw }) { dropsReturns.store(caller.addsReturns, ordering: .relaxed) }
    }

    /// Restores the modes of this process's terminal. Until `resume`, no keys go to the program.
    package func pause() {
        state.withLock { state in
            state.isPaused = true
            guard state.isRaw, let saved = state.saved else { return }
            state.isRaw = false
            // The terminal may still send replies to the program's last queries. The next program would read these
            // replies as typed input.
            caller.dropKeys()
            caller.set(saved)
            dropsReturns.store(caller.addsReturns, ordering: .relaxed)
        }
    }

    /// Lets Ctrl-C and similar keys signal this process again, after the program's end. The program's output is still
    /// shown unchanged.
    package func reclaimKeys() {
        state.withLock { state in
            state.isOver = true
            guard state.isRaw, var modes = state.saved else { return }
            modes.c_oflag &= ~tcflag_t(OPOST)
            caller.set(modes)
        }
    }

    /// Sends every key to the program again, if the program wants keys and this process is in the foreground.
    package func resume() {
        state.withLock { $0.isPaused = false }
        setRaw()
    }

    // MARK: - The end

    /// Whether all output of the program has been shown. If so, `finish` returns without waiting for it.
    package var isCarried: Bool { outward.withLock { $0 }?.isDone != false }

    /// Calls `job` once, when all output of the program has been shown.
    package func whenCarried(_ job: @escaping @Sendable () -> Void) { outward.withLock { $0 }?.whenDone(job) }

    /// Waits until all output of the program has been shown, and restores this process's terminal.
    package func finish() {
        _ = outward.withLock { $0 }?.finish()
        pause()
    }
}
