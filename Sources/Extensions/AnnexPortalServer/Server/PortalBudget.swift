internal import AnnexLinux

/// How much work one member may cause. It is a pure value, so that tests need no clock.
struct PortalBudget: Sendable {
    /// The most requests in one second. A burst may use up the whole second at once.
    static let perSecond = 2_000
    /// The most requests that have no answer yet.
    static let mostOpen = 64
    /// The most bytes of the bodies of such requests.
    static let mostBytes = 1 << 20

    private var second: UInt64 = 0
    private var count = 0
    private var open = 0
    private var bytes = 0

    /// Counts a request.
    /// - Returns: the limit that it exceeds; nil if it exceeds none.
    mutating func take(bytes more: Int, at now: UInt64) -> String? {
        if now >= second &+ 1_000_000_000 { (second, count) = (now, 0) }
        count += 1
        open += 1
        bytes += more
        if count > Self.perSecond { return "more than \(Self.perSecond) portal requests in one second" }
        if open > Self.mostOpen { return "more than \(Self.mostOpen) open portal requests" }
        return bytes > Self.mostBytes ? "more than \(Self.mostBytes >> 10) KiB in open portal requests" : nil
    }

    mutating func finish(bytes less: Int) {
        open = max(0, open - 1)
        bytes = max(0, bytes - less)
    }
}
