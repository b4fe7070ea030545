/// The task of a contender, as the driver's command line states it.
public struct Setting: Codable, Sendable, Hashable {
    public enum Waiting: String, Codable, Sendable {
        case spin, adaptive, block
    }

    public enum Loop: String, Codable, Sendable {
        /// The next call begins when the last call is answered.
        case closed
        /// Calls begin at a fixed rate, even if the last call is not answered yet. If a call begins late, its delay
        /// counts as time of the call.
        case open
        /// Messages without answers.
        case oneWay = "one-way"
    }

    public var placement = Placement.twoCores
    public var waiting = Waiting.spin
    public var loop = Loop.closed
    /// Bytes of a request and of its answer.
    public var request = 64
    public var reply = 64
    /// The number of calls between two readings of the clock, if a reading for each call would take a noticeable time.
    public var batch = 1
    /// One-way messages between two flushes.
    public var flush = 1
    /// Nanoseconds of silence before each call.
    public var gap = 0
    /// The time between the scheduled calls of an open loop, in nanoseconds.
    public var interval = 0
    /// Nanoseconds that the other side works before it answers.
    public var delay = 0
    /// Bytes of a file whose contents are read; nil if there is none.
    public var file: Int?
    /// The time of one slice.
    public var milliseconds = 100

    public init() {}

    /// A copy of this setting with a few changes.
    public func with(_ change: (inout Setting) -> Void) -> Setting {
        var copy = self
        change(&copy)
        return copy
    }

    /// The words of the driver's command line for this setting.
    public var words: [String] {
        let (client, server) = placement.processors
        return [
            "loop=\(loop.rawValue)", "waiting=\(waiting.rawValue)", "request=\(request)", "reply=\(reply)",
            "batch=\(batch)", "flush=\(flush)", "gap=\(gap)", "interval=\(interval)", "delay=\(delay)",
            "milliseconds=\(milliseconds)", "client=\(client)", "server=\(server)",
        ]
    }
}
