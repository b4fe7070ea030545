internal import AnnexLinux
internal import Glibc

/// One direction of a relayed connection. It holds only bytes that the receiver did not take yet, and reads no more
/// while there are any. So a slow receiver slows its sender down, as if both were connected directly.
struct PortFlow {
    /// The most bytes that are read at once, and so the most bytes that are held.
    static let piece = 1 << 16

    enum Outcome {
        /// A socket is not ready. The flow goes on when it is.
        case waits
        /// The flow used up its turn.
        case goesOn
        /// The sender's end has been passed on.
        case isOver
        case failed
    }

    private var held: ArraySlice<UInt8> = []
    private var hasEnded = false
    private(set) var isOver = false

    /// Carries bytes until a socket is not ready, or until the turn is over.
    mutating func carry(from source: PortSocket, to sink: PortSocket, turns: Int = 16) -> Outcome {
        for _ in 0..<turns {
            if isOver { return .isOver }
            guard held.isEmpty else {
                if let outcome = pass(to: sink) { return outcome }
                continue
            }
            if hasEnded {
                sink.endSending()
                isOver = true
                return .isOver
            }
            do throws(SystemError) {
                held = try source.descriptor.readSome(atMost: Self.piece)[...]
                hasEnded = held.isEmpty
            } catch {
                return error.errno == EAGAIN ? .waits : .failed
            }
        }
        return .goesOn
    }

    /// Passes held bytes on. Returns nil if the flow can read on.
    private mutating func pass(to sink: PortSocket) -> Outcome? {
        let sent = sink.send(held)
        if sent == -Int(EAGAIN) { return .waits }
        if sent == -Int(EINTR) { return nil }
        guard sent >= 0 else { return .failed }
        held = held.dropFirst(sent)
        return nil
    }
}
