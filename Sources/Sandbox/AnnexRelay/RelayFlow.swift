internal import AnnexLinux
internal import Glibc

/// One direction of a relayed connection. It holds only bytes that the receiver did not take yet, and reads no more
/// while there are any. So a slow receiver slows its sender down, as if both were connected directly.
package struct RelayFlow: Sendable {
    /// The most bytes that are read at once, and so the most bytes that are held.
    package static let piece = 1 << 16

    package enum Outcome: Sendable {
        /// A socket is not ready. The flow goes on when it is.
        case waits
        /// The flow used up its turn.
        case goesOn
        /// The sender's end has been passed on.
        case isOver
        case failed
    }

    private var held: ArraySlice<UInt8> = []
    /// How many bytes of the sender go on after the held ones.
    private var left: UInt64
    private var hasEnded = false
    package private(set) var isOver = false

    /// - Parameters:
    ///   - held: bytes that the receiver gets first.
    ///   - left: how many bytes of the sender it gets then. Further bytes are not read.
    package init(beginningWith held: [UInt8] = [], andThen left: UInt64 = .max) {
        self.held = held[...]
        self.left = left
    }

    /// Carries bytes until a socket is not ready, or until the turn is over.
    package mutating func carry(from source: RelaySocket, to sink: RelaySocket, turns: Int = 16) -> Outcome {
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
            if left == 0 {
                isOver = true
                return .isOver
            }
            do throws(SystemError) {
                held = try source.descriptor.readSome(atMost: Int(min(UInt64(Self.piece), left)))[...]
                hasEnded = held.isEmpty
                if left != .max { left -= UInt64(held.count) }
            } catch {
                return error.errno == EAGAIN ? .waits : .failed
            }
        }
        return .goesOn
    }

    /// Passes held bytes on. Returns nil if the flow can read on.
    private mutating func pass(to sink: RelaySocket) -> Outcome? {
        let sent = sink.send(held)
        if sent == -Int(EAGAIN) { return .waits }
        if sent == -Int(EINTR) { return nil }
        guard sent >= 0 else { return .failed }
        held = held.dropFirst(sent)
        return nil
    }
}
