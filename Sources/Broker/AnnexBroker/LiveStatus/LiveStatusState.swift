/// The state of a running extension, as `annex top` shows it.
package enum LiveStatusState: UInt64, Sendable, CaseIterable {
    /// The launch waits for an instance slot.
    case waiting = 1
    /// From the grant of the slot to the extension's hello.
    case launching
    /// No request is open.
    case idle
    /// At least one request is open.
    case working
    /// The session is over, and the extension may tidy up until its grace ends.
    case tidying
    /// The extension is being killed.
    case ending
    /// Launched ahead, and waiting for its first request.
    case parked

    /// nil before the extension was asked for and after it has ended.
    init?(_ life: Lifecycle, isParked: Bool) {
        switch life.state {
        case .new, .ended: return nil
        case .waiting: self = .waiting
        case .launching: self = .launching
        case .serving: self = life.isAtWork ? .working : isParked ? .parked : .idle
        case .tidying: self = .tidying
        case .ending: self = .ending
        }
    }

    package var word: String { "\(self)" }
}
