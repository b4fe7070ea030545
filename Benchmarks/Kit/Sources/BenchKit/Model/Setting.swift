/// What is asked of a contender; the driver's command line.
public struct Setting: Codable, Sendable, Hashable {
    public enum Waiting: String, Codable, Sendable {
        case spin, adaptive, block
    }

    public enum Loop: String, Codable, Sendable {
        /// The next call begins when the last one is answered.
        case closed
        /// Calls begin at a fixed rate, whether the last one is answered or not; a late one's wait counts.
        case open
        /// Messages that nobody answers.
        case oneWay = "one-way"
    }

    public var placement = Placement.twoCores
    public var waiting = Waiting.spin
    public var loop = Loop.closed
    /// Bytes of a request and of its answer.
    public var request = 64
    public var reply = 64
    /// Calls between two looks at the clock, where a look would count.
    public var batch = 1
    /// One-way messages between two flushes.
    public var flush = 1
    /// Nanoseconds of silence before each call.
    public var gap = 0
    /// Nanoseconds between the appointed times of an open loop.
    public var interval = 0
    /// Nanoseconds that the other side works before it answers.
    public var delay = 0
    /// Of one slice.
    public var milliseconds = 100

    public init() {}

    /// Changed in a few places.
    public func with(_ change: (inout Setting) -> Void) -> Setting {
        var copy = self
        change(&copy)
        return copy
    }

    /// The driver's words for it.
    public var words: [String] {
        let (client, server) = placement.processors
        return [
            "loop=\(loop.rawValue)", "waiting=\(waiting.rawValue)", "request=\(request)", "reply=\(reply)",
            "batch=\(batch)", "flush=\(flush)", "gap=\(gap)", "interval=\(interval)", "delay=\(delay)",
            "milliseconds=\(milliseconds)", "client=\(client)", "server=\(server)",
        ]
    }
}
