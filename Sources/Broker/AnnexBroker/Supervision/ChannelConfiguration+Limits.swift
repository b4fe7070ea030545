internal import AnnexChannel
internal import AnnexPolicy

extension ChannelConfiguration {
    /// The channel that a policy allows. What `in-flight` says is the most that it lets be under way at once: both rings,
    /// both arenas, and the one large answer that a host puts together.
    init(_ limits: PolicyLimits) {
        self.init()
        let half = UInt32(clamping: limits.inFlight / 2)
        while hostCapacity > max(half, 4096) { hostCapacity /= 2 }
        extensionCapacity = hostCapacity
        shareRest(limits.inFlight.subtractingOrZero(UInt64(hostCapacity) + UInt64(extensionCapacity)))
        callLimit = limits.request
        // An extension that works on a request reads nothing meanwhile, and may.
        unreadLimit = max(unreadLimit, limits.request)
        mostOpenCalls = min(mostOpenCalls, max(1, limits.openCalls))
        framesPerSecond = UInt32(clamping: max(0, limits.messages))
        controlMessagesPerSecond = framesPerSecond
    }

    /// A quarter of what the rings leave goes to each arena, the rest to the largest message. Where that is no whole place
    /// of an arena, messages are as large as a frame.
    private mutating func shareRest(_ bytes: UInt64) {
        let arena = min(UInt64(hostArena), bytes / 4)
        hostArena = UInt32(clamping: arena - arena % Self.arenaStep)
        extensionArena = hostArena
        let left = bytes.subtractingOrZero(UInt64(hostArena) * 2)
        largestMessage = hostArena == 0 ? 0 : min(largestMessage, UInt32(clamping: left))
    }

    private static var arenaStep: UInt64 { 65_536 }
}

extension UInt64 {
    fileprivate func subtractingOrZero(_ other: UInt64) -> UInt64 {
        self > other ? self - other : 0
    }
}
