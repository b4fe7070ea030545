internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Reads the output of an extension as it arrives, and keeps the last part of it. If the extension's input is private,
/// the reader only counts the bytes.
///
/// An extension may fill the pipe, but it cannot block the host. The reader does not block, and it reads a limited
/// piece each time. Therefore a large output neither delays other extensions nor fills the host's memory. Above the
/// limit, the reader stops. The extension then waits at its full pipe until it is ended.
final class OutputReader: Sendable {
    /// The most bytes that are read in one turn of the loop.
    static let piece = 65_536

    private let pipe: Descriptor
    private let limit: UInt64
    private let isKept: Bool
    private let tail = Mutex(OutputTail())
    private let watch = Mutex<EventLoop.Watch?>(nil)
    private let onOutput: @Sendable (_ total: UInt64) -> Void

    /// - Parameters:
    ///   - pipe: the reading end of the pipe. It must be non-blocking.
    ///   - limit: the limit in bytes. `onOutput` gets the first total above the limit, and no total after that.
    ///   - isKept: whether the last part of the output is kept.
    init(
        _ pipe: consuming Descriptor, limit: UInt64, isKept: Bool = true, on loop: EventLoop,
        onOutput: @escaping @Sendable (UInt64) -> Void
    ) throws(SystemError) {
        self.pipe = pipe
        self.limit = limit
        self.isKept = isKept
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

    private func readPiece() -> Piece {
        do throws(SystemError) {
            let bytes = try pipe.readSome(atMost: Self.piece)
            return bytes.isEmpty ? .end : .bytes(bytes)
        } catch {
            return error.errno == EAGAIN ? .nothingYet : .end
        }
    }

    private func readSome() {
        switch readPiece() {
        case .bytes(let bytes):
            let total = tail.withLock { tail in
                tail.append(bytes[...], isKept: isKept)
                return tail.total
            }
            if total > limit { stopReading() }
            onOutput(total)
        case .nothingYet: break
        case .end: stopReading()
        }
    }

    private func stopReading() { watch.withLock { $0.take() }?.cancel() }

    /// Reads the bytes that are still in the pipe after the process is gone.
    /// - Returns: the last part of all output.
    func finish() -> OutputTail {
        watch.withLock { $0.take() }?.cancelAndWait()
        // A pipe holds 64 KiB unless it was made larger, and no process remains to fill it again.
        for _ in 0..<16 {
            guard case .bytes(let bytes) = readPiece() else { break }
            tail.withLock { $0.append(bytes[...], isKept: isKept) }
        }
        return tail.withLock { $0 }
    }
}

/// The last part of an extension's standard output and error as raw bytes, and the count of all bytes.
///
/// The extension chose the bytes, so a caller must escape them before it shows them.
package struct OutputTail: Sendable, Hashable {
    /// The most bytes that are kept.
    package static let capacity = 8192

    /// The count of all bytes written, kept or not.
    package private(set) var total: UInt64 = 0
    /// The last bytes, up to twice `capacity`. Because of this reserve, the older bytes are dropped only now and
    /// then, and not for every small piece.
    private var recent: [UInt8] = []

    package init() {}

    package var bytes: [UInt8] { Array(recent.suffix(Self.capacity)) }

    mutating func append(_ more: ArraySlice<UInt8>, isKept: Bool = true) {
        total += UInt64(more.count)
        guard isKept else { return }
        recent.append(contentsOf: more.suffix(Self.capacity))
        if recent.count > 2 * Self.capacity { recent.removeFirst(recent.count - Self.capacity) }
    }
}
