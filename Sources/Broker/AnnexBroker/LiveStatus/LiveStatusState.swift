/// What a running extension is at, in a word.
package enum LiveStatusState: UInt64, Sendable, CaseIterable {
    /// For a place among those that run at once.
    case waiting = 1
    /// From its place to its hello.
    case launching
    /// Nothing is asked of it.
    case idle
    /// A request is open.
    case working
    /// It has its grace to tidy up in.
    case tidying
    /// It is being killed.
    case ending
    /// Launched ahead: nobody needs it yet.
    case parked

    /// Nil before it is asked for and once it is gone.
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
