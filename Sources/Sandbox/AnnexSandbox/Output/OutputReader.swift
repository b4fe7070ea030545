internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Reads what an extension writes to its output, as fast as it comes, and keeps the end of it.
///
/// The pipe is the extension's to fill and never to stall: the host side reads without blocking, a bounded piece each
/// time, so that a flood costs one thread its turn and nobody their memory. Past the limit nothing is read any more: the
/// extension is ended for it, and till then waits at its full pipe.
final class OutputReader: Sendable {
    /// Bytes taken in one turn of the loop.
    static let piece = 65_536

    private let pipe: Descriptor
    private let limit: UInt64
    private let tail = Mutex(OutputTail())
    private let watch = Mutex<EventLoop.Watch?>(nil)
    private let onOutput: @Sendable (_ total: UInt64) -> Void

    /// - Parameters:
    ///   - pipe: the reading end, non-blocking.
    ///   - limit: bytes; the first total above it is the last that `onOutput` hears of.
    init(
        _ pipe: consuming Descriptor, limit: UInt64, on loop: EventLoop,
        onOutput: @escaping @Sendable (UInt64) -> Void
    ) throws(SystemError) {
        self.pipe = pipe
        self.limit = limit
        self.onOutput = onOutput
        let watch = try loop.watch(self.pipe.number) { [weak self] _ in self?.readSome() }
        self.watch.withLock { $0 = watch }
    }

    deinit {
        watch.withLock { $0.take() }?.cancel()
    }

    private enum Piece {
        case bytes([UInt8])
        case nothingYet
        case end
    }

    private func take() -> Piece {
        do throws(SystemError) {
            let bytes = try pipe.readSome(atMost: Self.piece)
            return bytes.isEmpty ? .end : .bytes(bytes)
        } catch {
            return error.errno == EAGAIN ? .nothingYet : .end
        }
    }

    private func readSome() {
        switch take() {
        case .bytes(let bytes):
            let total = tail.withLock { tail in
                tail.append(bytes[...])
                return tail.total
            }
            if total > limit { stopReading() }
            onOutput(total)
        case .nothingYet: break
        case .end: stopReading()
        }
    }

    private func stopReading() { watch.withLock { $0.take() }?.cancel() }

    /// Takes what is left in the pipe after the process is gone; the end of all of it.
    func finish() -> OutputTail {
        watch.withLock { $0.take() }?.cancelAndWait()
        // A pipe holds 64 KiB unless made larger, and nobody is left to fill it again.
        for _ in 0..<16 {
            guard case .bytes(let bytes) = take() else { break }
            tail.withLock { $0.append(bytes[...]) }
        }
        return tail.withLock { $0 }
    }
}
