internal import AnnexLinux
internal import Synchronization

/// A frame that waits for room, with what goes ahead of it.
struct OutgoingFrame: ~Copyable {
    var header: FrameHeader
    var terms: RequestTerms?
    var payload: [UInt8]
    var descriptors = DescriptorList()
    /// Of a payload that goes in pieces.
    var transfer: LargeTransfer?

    /// A frame without descriptors, which can be kept.
    struct Copy: Sendable {
        let header: FrameHeader
        let payload: [UInt8]

        var frame: OutgoingFrame { OutgoingFrame(header: header, payload: payload) }
    }
}

/// A frame whose bytes its sender lends: nothing of it is kept.
@safe struct OutgoingBytes {
    let header: FrameHeader
    let terms: RequestTerms?
    let payload: UnsafeRawBufferPointer
    /// Of a payload that goes in pieces.
    let transfer: LargeTransfer?

    init(
        _ header: FrameHeader, _ terms: RequestTerms?, _ payload: UnsafeRawBufferPointer, _ transfer: LargeTransfer?
    ) {
        self.header = header
        self.terms = terms
        unsafe self.payload = payload
        self.transfer = transfer
    }

    /// Bytes behind the header. `ChannelState.check` has held them against the ring.
    var length: UInt32 {
        unsafe UInt32(truncatingIfNeeded: payload.count) &+ (terms == nil ? 0 : RequestTerms.size)
    }
}

/// How far a message in pieces has been sent. One is under way at a time in each direction; the others wait for it, and
/// frames of every other kind go between its pieces.
///
/// Whoever sends it holds it: let go of, it is given up, and the next one may begin.
final class LargeTransfer: Sendable {
    /// Bytes that have gone. Changed under the sender's lock.
    let sent = Atomic<Int>(0)
}

/// Until when a sender waits for room: its deadline, or else the channel's limit, which begins anew with each piece of a
/// large message that has gone. So the whole of it is bounded by its length.
struct SendPatience {
    private let perPiece: Duration?
    private let transfer: LargeTransfer?
    private var sent = 0
    /// On `MonotonicClock`.
    private(set) var limit: UInt64

    init(_ perPiece: Duration, _ transfer: LargeTransfer?, _ deadline: UInt64?) {
        self.perPiece = deadline == nil ? perPiece : nil
        self.transfer = transfer
        limit = deadline ?? MonotonicClock.deadline(after: perPiece)
    }

    /// Whether a piece has gone since this was asked last.
    mutating func hasMoved() -> Bool {
        guard let transfer else { return false }
        let now = transfer.sent.load(ordering: .relaxed)
        guard now != sent else { return false }
        sent = now
        if let perPiece { limit = MonotonicClock.deadline(after: perPiece) }
        return true
    }
}
