internal import AnnexChannel
internal import AnnexPolicy

extension ChannelConfiguration {
    /// The channel that a policy allows: never larger rings than usual, smaller ones where less may be on its way.
    init(_ limits: PolicyLimits) {
        self.init()
        let half = UInt32(clamping: limits.inFlight / 2)
        while hostCapacity > max(half, 4096) { hostCapacity /= 2 }
        extensionCapacity = hostCapacity
        callLimit = limits.request
        mostOpenCalls = min(mostOpenCalls, max(1, limits.openCalls))
        framesPerSecond = UInt32(clamping: max(0, limits.messages))
        controlMessagesPerSecond = framesPerSecond
    }
}
