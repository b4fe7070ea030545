internal import AnnexLinux
internal import Synchronization

/// A frame to send, with the descriptors that are sent before it.
struct OutgoingFrame: ~Copyable {
    var header: FrameHeader
    var terms: RequestTerms?
    var payload: [UInt8]
    var descriptors = DescriptorList()
    /// The progress of a payload that is sent in pieces; nil for any other payload.
    var transfer: LargeTransfer?

    /// A frame without descriptors, which can be stored.
    struct Copy: Sendable {
        let header: FrameHeader
        let payload: [UInt8]

        var frame: OutgoingFrame { OutgoingFrame(header: header, payload: payload) }
    }
}

/// A frame whose payload is lent for the duration of a call. The callee keeps no reference to the payload.
@safe struct OutgoingBytes {
    let header: FrameHeader
    let terms: RequestTerms?
    let payload: UnsafeRawBufferPointer
    /// The progress of a payload that is sent in pieces; nil for any other payload.
    let transfer: LargeTransfer?

    init(
        header: FrameHeader, terms: RequestTerms?, payload: UnsafeRawBufferPointer, transfer: LargeTransfer?
    ) {
        self.header = header
        self.terms = terms
        unsafe self.payload = payload
        self.transfer = transfer
    }

    /// The number of bytes after the header. `ChannelState.check` has compared it with the ring's size.
    var length: UInt32 {
        unsafe UInt32(truncatingIfNeeded: payload.count) &+ (terms == nil ? 0 : RequestTerms.size)
    }
}

/// The progress of sending a message in pieces. In each direction, only one message at a time is sent in pieces. Other
/// large messages wait until that message is complete. Frames of every other kind may be sent between its pieces.
///
/// The message's sender holds the only strong reference. If the sender drops the reference, it gives the message up,
/// and the next large message may begin.
final class LargeTransfer: Sendable {
    /// How many bytes were sent. The value is changed only under the sender's lock.
    let sent = Atomic<Int>(0)
}

/// How long a sender waits for room. If the sender has a deadline, it waits until the deadline. Otherwise the channel's
/// `sendLimit` limits the wait. For a large message, this limit applies to each piece anew. So the message's length
/// limits the total wait.
struct SendPatience {
    private let perPiece: Duration?
    private let transfer: LargeTransfer?
    private var sent = 0
    /// The time at which the wait ends, on `MonotonicClock`.
    private(set) var limit: UInt64

    init(perPiece: Duration, transfer: LargeTransfer?, deadline: UInt64?) {
        self.perPiece = deadline == nil ? perPiece : nil
        self.transfer = transfer
        limit = deadline ?? MonotonicClock.deadline(after: perPiece)
    }

    /// Whether a piece was sent since this method was last called.
    mutating func hasMoved() -> Bool {
        guard let transfer else { return false }
        let now = transfer.sent.load(ordering: .relaxed)
        guard now != sent else { return false }
        sent = now
        if let perPiece { limit = MonotonicClock.deadline(after: perPiece) }
        return true
    }
}
