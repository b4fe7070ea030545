internal import Glibc
internal import Synchronization

/// Signals of this process as bytes in a pipe, so that a thread can wait for them together with a file.
package struct SignalPipe: ~Copyable, Sendable {
    /// The end that the handler writes to. Handlers know only global values.
    private static let target = Atomic<Int32>(-1)
    private let reading: Descriptor

    /// Catches these signals from now on.
    package init(_ signals: [Int32]) throws(SystemError) {
        var ends = try DescriptorPair.pipe(nonBlocking: true).list()
        guard let reading = ends.takeFirst(), let writing = ends.takeFirst() else {
            throw SystemError("pipe2", errno: EBADF)
        }
        self.reading = reading
        // SYNC: the handlers are set after this, so each of them finds the pipe. The end stays open for as long as the process lives.
        Self.target.store(writing.release(), ordering: .releasing)
        for signal in signals {
            var action = sigaction()
            // SAFETY: the handler keeps to calls that are safe in a handler, and each pointer lives until its call is over.
            unsafe action.__sigaction_handler.sa_handler = { signal in
                // Only calls that are safe in a handler. A full pipe already holds signals to read.
                let before = errno
                var byte = UInt8(truncatingIfNeeded: signal)
                _ = unsafe Glibc.write(SignalPipe.target.load(ordering: .acquiring), &byte, 1)
                errno = before
            }
            action.sa_flags = SA_RESTART
            unsafe sigaction(signal, &action, nil)
        }
    }

    /// Readable if a signal has come.
    package var number: Int32 { reading.number }

    /// Blocks the thread until a signal comes.
    package func wait() -> Int32 {
        while true {
            if let signal = next() { return signal }
            _ = reading.waitUntilReadable(until: .max)
        }
    }

    /// The next signal; nil if none has come.
    package func next() -> Int32? {
        var byte: UInt8 = 0
        // SAFETY: the call writes one byte.
        return unsafe Glibc.read(reading.number, &byte, 1) == 1 ? Int32(byte) : nil
    }
}
