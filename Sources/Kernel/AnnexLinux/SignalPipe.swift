internal import Glibc
internal import Synchronization

/// Signals of this process as bytes in a pipe, so that a thread can wait for signals and a file together. When this
/// value ends, it restores the earlier actions of the signals.
package struct SignalPipe: ~Copyable, Sendable {
    /// The end of the pipe that the handler writes to. It is global because a signal handler can use only global
    /// values.
    private static let target = Atomic<Int32>(-1)
    private let reading: Descriptor
    private let before: [(signal: Int32, action: sigaction)]

    /// Catches these signals from now on. Signals that this process already ignores, for example because of `nohup`,
    /// stay ignored.
    package init(_ signals: [Int32]) throws(SystemError) {
        var ends = try DescriptorPair.pipe(nonBlocking: true).list()
        guard let reading = ends.takeFirst(), let writing = ends.takeFirst() else {
            throw SystemError("pipe2", errno: EBADF)
        }
        self.reading = reading
        // SYNC: the handlers are installed after this store, so each handler finds the pipe. The writing end stays open
        // for as long as the process lives.
        Self.target.store(writing.release(), ordering: .releasing)
        before = signals.compactMap { signal in Self.catching(signal).map { (signal, $0) } }
    }

    deinit {
        // After this value's end, the pipe has no reader. If a handler then wrote to the pipe, another signal, SIGPIPE,
        // would end the process. So the earlier actions are restored.
        for (signal, action) in before {
            var action = action
            // SAFETY: the call reads one `sigaction`.
            unsafe sigaction(signal, &action, nil)
        }
    }

    /// - Returns: the earlier action. Nil if the process ignores the signal. The signal then stays ignored.
    private static func catching(_ signal: Int32) -> sigaction? {
        var (before, action) = (sigaction(), sigaction())
        // SAFETY: the call writes one `sigaction`.
        unsafe sigaction(signal, nil, &before)
        // SAFETY: `SIG_IGN` is the number 1 in place of a function.
        guard unsafe unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) != 1 else { return nil }
        // SAFETY: the handler uses only calls that are safe in a handler. Each pointer is valid until its call is over.
        unsafe action.__sigaction_handler.sa_handler = { signal in
            // The handler uses only calls that are safe in a handler. If the pipe is full, the write fails without
            // harm, because the pipe already holds signals to read.
            let before = errno
            var byte = UInt8(truncatingIfNeeded: signal)
            _ = unsafe Glibc.write(SignalPipe.target.load(ordering: .acquiring), &byte, 1)
            errno = before
        }
        action.sa_flags = SA_RESTART
        unsafe sigaction(signal, &action, nil)
        return before
    }

    /// The number of the descriptor that is readable if a signal has come.
    package var number: Int32 { reading.number }

    /// Blocks the thread until a signal comes.
    package func wait() -> Int32 {
        while true {
            if let signal = next() { return signal }
            _ = reading.waitUntilReadable(until: .max)
        }
    }

    /// The next signal. Nil if no signal has come.
    package func next() -> Int32? {
        var byte: UInt8 = 0
        // SAFETY: the call writes one byte.
        return unsafe Glibc.read(reading.number, &byte, 1) == 1 ? Int32(byte) : nil
    }
}
