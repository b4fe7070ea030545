internal import AnnexLinux
internal import Synchronization

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
