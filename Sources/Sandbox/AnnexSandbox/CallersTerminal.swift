internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// The terminal of this process: the place where a person sees output and presses keys.
///
/// If standard input is a terminal, the keys come from it. Otherwise the keys come from the controlling terminal, but
/// only if standard output or standard error is that terminal too. A program outside a sandbox would read the same keys
/// from `/dev/tty`.
final class CallersTerminal: Sendable {
    /// The terminal that shows output.
    let shown: Descriptor
    /// The terminal on which keys are pressed, as a descriptor's number; nil if this process has none.
    let keys: Int32?
    private let keysDescriptor: Descriptor?
    /// Whether standard input is this terminal.
    let isInput: Bool
    /// Whether the terminal puts a carriage return before each line feed that it shows.
    let addsReturns: Bool

    init() throws(SystemError) {
        let number = [STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO].first { isatty($0) == 1 } ?? STDOUT_FILENO
        shown = try Self.duplicate(number)
        isInput = isatty(STDIN_FILENO) == 1
        let held = isInput ? try Self.duplicate(STDIN_FILENO) : Self.controlling(like: number)
        switch held {
        case .some(let terminal): keys = terminal.number
        case .none: keys = nil
        }
        keysDescriptor = held
        let output = Self.modes(of: shown.number)?.c_oflag ?? 0
        addsReturns = output & tcflag_t(OPOST) != 0 && output & tcflag_t(ONLCR) != 0
    }

    private static func duplicate(_ number: Int32) throws(SystemError) -> Descriptor {
        Descriptor(owning: try SystemError.check("fcntl(F_DUPFD_CLOEXEC)", annex_duplicate(number, 3)))
    }

    private static func controlling(like number: Int32) -> Descriptor? {
        guard let terminal = try? Descriptor.open("/dev/tty", O_RDWR | O_NOCTTY),
            annex_same_terminal(terminal.number, number) == 1
        else { return nil }
        return terminal
    }

    /// The modes of a terminal; nil if the descriptor is no terminal.
    static func modes(of number: Int32) -> termios? {
        var modes = termios()
        // SAFETY: the call writes one struct and keeps nothing.
        return unsafe tcgetattr(number, &modes) == 0 ? modes : nil
    }

    var modes: termios? { keys.flatMap { Self.modes(of: $0) } }

    /// Sets the modes at once. TCSADRAIN would wait until all output was shown. A terminal that was stopped with Ctrl-S
    /// shows no output.
    /// - Returns: whether the modes were set.
    @discardableResult
    func set(_ modes: termios) -> Bool {
        guard let number = keys else { return false }
        var modes = modes
        // SAFETY: the call reads one struct and keeps nothing.
        return unsafe tcsetattr(number, TCSANOW, &modes) == 0
    }

    /// Drops keys that were pressed and not read.
    func dropKeys() {
        if let number = keys { _ = tcflush(number, TCIFLUSH) }
    }

    /// Whether this process is in the foreground of the terminal. A background job must not change the terminal.
    var isForeground: Bool {
        guard let number = keys else { return false }
        return tcgetpgrp(number) == getpgrp()
    }

    /// Whether this process may read keys now. Only processes in the foreground may read keys from their controlling
    /// terminal.
    var givesKeys: Bool {
        guard let number = keys else { return false }
        let group = tcgetpgrp(number)
        return group == getpgrp() || (group < 0 && errno == ENOTTY && isatty(number) == 1)
    }

    /// The keys for which the terminal sends a signal, each with the signal's number.
    var signalKeys: [UInt8: Int32] {
        let usual: [(index: Int32, key: UInt8, signal: Int32)] = [
            (VINTR, 0x03, SIGINT), (VQUIT, 0x1C, SIGQUIT), (VSUSP, 0x1A, SIGTSTP),
        ]
        // SAFETY: the closure copies the bytes of the array.
        let own = modes.map { modes in unsafe withUnsafeBytes(of: modes.c_cc) { unsafe Array($0) } }
        var keys: [UInt8: Int32] = [:]
        for row in usual {
            let key = own.map { $0[Int(row.index)] } ?? row.key
            // 0 means that there is no such key.
            if key != 0 { keys[key] = row.signal }
        }
        return keys
    }
}
