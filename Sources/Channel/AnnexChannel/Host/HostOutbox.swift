internal import AnnexLinux

/// Frames that nobody waits for being sent: answers, credit, resets. They go out as soon as there is room, in their
/// order, and are bounded in number, in bytes and in time.
struct HostOutbox: ~Copyable, Sendable {
    /// What there is too much of, or for too long.
    enum Excess {
        case frames, bytes, time
    }

    private var frames: [OutgoingFrame.Copy] = []
    /// How many of `frames` have gone: taken out once they are half of it.
    private var gone = 0
    /// Bytes of those that wait.
    private var bytes = 0
    /// Since when the first of them waits, on `MonotonicClock`.
    private var since: UInt64 = 0
    /// Looks again while anything waits.
    private var timer: EventLoop.Timer?
    /// After which the timer looks.
    private(set) var pause = HostOutbox.shortestPause
    /// Counts the timers: one that has fired may be late.
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

    /// Another timer is about to be set, and the one before does not count any more.
    /// - Returns: the number by which it knows whether it counts.
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

    /// What is more than the channel lets wait, if anything is. One frame may always wait, however large it is.
    func excess(over configuration: ChannelConfiguration, at now: UInt64) -> Excess? {
        if count > configuration.mostWaitingFrames { return .frames }
        if count > 1, bytes > configuration.mostWaitingBytes { return .bytes }
        let limit = MonotonicClock.nanoseconds(configuration.unreadLimit)
        return !isEmpty && now > since && now &- since > limit ? .time : nil
    }
}
