/// What a receiver says about itself in its own region.
///
/// The low two bits are the state; a doorbell's upper bits count how often it was asked for, so that a sender rings
/// once for each time.
enum ReceiverState {
    static let awake: UInt32 = 0
    /// Sleeps on the header that the sender writes next.
    static let asleep: UInt32 = 1
    /// Sleeps on the bell in its own region; an extension only, whose host knows bells.
    static let asleepOnBell: UInt32 = 3

    /// Sleeps in epoll and wants a byte on the control socket.
    static func wantsDoorbell(_ turn: UInt32) -> UInt32 {
        turn << 2 | 2
    }

    static func isAsleep(_ state: UInt32) -> Bool {
        state | 2 == asleepOnBell
    }

    static func isDoorbell(_ state: UInt32) -> Bool {
        state & 3 == 2
    }
}
