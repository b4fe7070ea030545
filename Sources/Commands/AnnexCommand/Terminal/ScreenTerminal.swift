internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// The whole screen of a terminal. The program gets each key at once, without waiting for a line, and draws lines in
/// place. At the end, the user's own screen is restored.
final class ScreenTerminal: Sendable {
    enum Event: Sendable {
        case key(Key)
        /// The terminal has another size now, or another program has drawn on it.
        case resized
        /// The program must end.
        case ended
    }

    /// The events of the terminal. Only one reader may read this stream.
    let events: AsyncStream<Event>
    private let before: termios
    /// The lines that were drawn; nil while the terminal shows the user's own screen. Drawing holds the lock, so no
    /// line is drawn after `close()`.
    private let drawn = Mutex<[String]?>(nil)

    /// The alternate screen without a cursor, and a mouse that reports its buttons in xterm's SGR mode.
    private static let opening = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[2J"
    private static let closing = "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?25h\u{1B}[?1049l"

    /// Nil if the input or the output is not a terminal.
    init?() {
        var settings = termios()
        // SAFETY: the call writes one `termios`.
        guard isatty(STDOUT_FILENO) == 1, unsafe tcgetattr(STDIN_FILENO, &settings) == 0,
            let signals = try? SignalPipe([SIGTERM, SIGHUP, SIGINT, SIGWINCH, SIGCONT])
        else { return nil }
        before = settings
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        open()
        do throws(SystemError) {
            _ = try WorkerThread("annex-keys") { Self.read(signals, into: continuation) }
        } catch {
            close()
            return nil
        }
    }

    /// The size of the terminal now. If the terminal does not state it, this is a usual size.
    var size: (columns: Int, rows: Int) {
        TerminalSize(of: STDOUT_FILENO).map { ($0.columns, $0.rows) } ?? (80, 24)
    }

    /// Shows these lines, starting at the top. Lines that have not changed are not written again.
    /// - Parameter lines: at most as many lines as the terminal has rows. No line may be wider than the terminal.
    func draw(_ lines: [String]) {
        drawn.withLock { drawn in
            guard let before = drawn else { return }
            var text = ""
            for (row, line) in lines.enumerated() where row >= before.count || before[row] != line {
                text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[0m\u{1B}[K"
            }
            if lines.count < before.count { text += "\u{1B}[\(lines.count + 1);1H\u{1B}[J" }
            drawn = lines
            write(text)
        }
    }

    /// Forgets what was drawn, so that all lines are written again.
    func clear() {
        drawn.withLock { drawn in
            guard drawn != nil else { return }
            drawn = []
            write("\u{1B}[2J")
        }
    }

    // MARK: Modes

    /// Restores the terminal for the user.
    func close() {
        var settings = before
        drawn.withLock { drawn in
            drawn = nil
            write(Self.closing)
        }
        // SAFETY: the call reads one `termios`.
        unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }

    private func open() {
        var settings = before
        settings.c_lflag &= ~UInt32(ICANON | ECHO | ISIG | IEXTEN)
        settings.c_iflag &= ~UInt32(IXON | ICRNL)
        // SAFETY: the call reads one `termios`.
        unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        drawn.withLock { drawn in
            drawn = []
            write(Self.opening)
        }
    }

    /// How long to wait for the signal that stops this process, in microseconds.
    private static let stopping: UInt32 = 50_000

    /// Stops this process and the other processes of its job. All of them stay stopped until the user's shell continues
    /// the job.
    func suspend() {
        close()
        // If another thread takes the signal, this thread continues until the process stops. So this thread sleeps for
        // a moment. If there is no shell, the kernel ignores the signal.
        kill(0, SIGTSTP)
        usleep(Self.stopping)
        open()
    }

    private func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            // A failed write needs no report: if the terminal is gone, a signal reports that.
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    // MARK: Input

    /// How long to wait for further bytes of a sequence, in milliseconds. A terminal sends a sequence at once, but a
    /// slow line may split it.
    private static let betweenBytes: Int32 = 50

    private static func read(_ signals: borrowing SignalPipe, into events: AsyncStream<Event>.Continuation) {
        var reader = KeyReader()
        while true {
            var entries = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals.number, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&entries, 2, reader.isWaiting ? betweenBytes : -1)
            if count == 0, let key = reader.giveUp() { events.yield(.key(key)) }
            guard count > 0 else { continue }
            if entries[1].revents != 0 {
                switch signals.next() {
                case SIGWINCH, SIGCONT: events.yield(.resized)
                default: events.yield(.ended)
                }
            }
            guard entries[0].revents != 0 else { continue }
            guard let bytes = input() else { break }
            for key in reader.keys(of: bytes) { events.yield(.key(key)) }
        }
        events.yield(.ended)
        // If the terminal is gone, the kernel also sends a signal. That signal must not end this program before the
        // widgets have ended, so this thread takes the signal.
        _ = signals.wait()
    }

    /// The bytes that were read; nil at the end of the input.
    private static func input() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        return count > 0 ? Array(bytes.prefix(count)) : count < 0 && errno == EINTR ? [] : nil
    }
}
