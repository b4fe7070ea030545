internal import AnnexLinux

/// Frames that are sent without a waiting caller, such as answers, credit and resets. They are sent in order as soon as
/// the ring has room. Their number, bytes and waiting time are limited.
struct HostOutbox: ~Copyable, Sendable {
    /// The limit that the waiting frames exceed.
    enum Excess {
        case frames, bytes, time
    }

    private var frames: [OutgoingFrame.Copy] = []
    /// How many frames at the beginning of `frames` were sent. The sent frames are removed once they are more than half
    /// of `frames`.
    private var gone = 0
    /// Payload bytes of the frames that wait.
    private var bytes = 0
    /// The later of two moments of `MonotonicClock`: when the outbox last sent a frame, and when a frame last entered
    /// the empty outbox.
    private var since: UInt64 = 0
    /// While frames wait, this timer makes the sender try again.
    private var timer: EventLoop.Timer?
    /// How long the timer waits before the sender tries again.
    private(set) var pause = HostOutbox.shortestPause
    /// Counts the timers, so that a timer that fires late is recognised.
    private(set) var round: UInt64 = 0

    static let shortestPause = Duration.microseconds(200)
    static let longestPause = Duration.seconds(1)

    var isEmpty: Bool { gone >= frames.count }
    var count: Int { frames.count &- gone }
    var next: OutgoingFrame.Copy? { isEmpty ? nil : frames[gone] }

    mutating func append(_ frame: OutgoingFrame.Copy, at now: UInt64) {
        if isEmpty { since = now }
        frames.append(frame)
        bytes &+= frame.payload.count
    }

    mutating func removeNext(at now: UInt64) {
        guard let first = next else { return }
        bytes &-= first.payload.count
        since = now
        gone &+= 1
        guard gone * 2 > frames.count else { return }
        frames.removeFirst(gone)
        gone = 0
    }

    /// Prepares for a new timer and cancels the previous one.
    /// - Returns: the new timer's number.
    mutating func startRound(_ pause: Duration) -> UInt64 {
        timer?.cancel()
        self.pause = pause
        round &+= 1
        return round
    }

    mutating func keep(_ timer: EventLoop.Timer) {
        self.timer = timer
    }

    mutating func removeAll() {
        frames = []
        (gone, bytes) = (0, 0)
    }

    /// The limit that the waiting frames exceed; nil if they exceed none. A single frame may always wait, however large
    /// it is.
    func excess(over configuration: ChannelConfiguration, at now: UInt64) -> Excess? {
        if count > configuration.mostWaitingFrames { return .frames }
        if count > 1, bytes > configuration.mostWaitingBytes { return .bytes }
        let limit = MonotonicClock.nanoseconds(configuration.unreadLimit)
        return !isEmpty && now > since && now &- since > limit ? .time : nil
    }
}
