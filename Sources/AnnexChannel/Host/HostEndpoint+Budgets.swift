internal import AnnexLinux

extension HostEndpoint {
    /// Counts a frame that nobody asked for, and its bytes. What is left of the second's budget still goes; the owner is
    /// told once when a quarter is left.
    func spend(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        let now = MonotonicClock.now()
        guard receiver.frames.spend(at: now) else { throw .messageBudget(.frames, limit: receiver.frames.limit) }
        guard receiver.bytes.spend(UInt32(clamping: frame.payload.count), at: now) else {
            throw .messageBudget(.bytes, limit: receiver.bytes.limit)
        }
        if receiver.frames.mustWarn() { warn(.frames) }
        if receiver.bytes.mustWarn() { warn(.bytes) }
    }

    private func warn(_ budget: ChannelViolation.MessageBudget) {
        loop.execute { [handlers] in handlers.onPressure(budget) }
    }
}
