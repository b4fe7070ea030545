internal import AnnexLinux

extension HostEndpoint {
    /// Counts a frame that nobody asked for, and its bytes. What is left of the second's budget still goes; the owner is
    /// told once when a quarter is left.
    func spend(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        let now = MonotonicClock.now()
        guard receiver.frames.spend(at: now) else { throw .messageBudget(.frames, limit: receiver.frames.limit) }
        try spend(bytes: frame.payload.count, at: now, &receiver)
        if receiver.frames.mustWarn() { warn(.frames) }
    }

    /// Counts the bytes of a frame that had to be expected and is for nobody; an empty one takes time too.
    func spendBytes(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        try spend(bytes: max(frame.payload.count, 64), at: MonotonicClock.now(), &receiver)
    }

    func spend(
        bytes: Int, at now: UInt64, _ receiver: inout HostReceiver
    ) throws(ChannelViolation) {
        guard receiver.bytes.spend(UInt32(clamping: bytes), at: now) else {
            throw .messageBudget(.bytes, limit: receiver.bytes.limit)
        }
        if receiver.bytes.mustWarn() { warn(.bytes) }
    }

    private func warn(_ budget: ChannelViolation.MessageBudget) {
        tell { [handlers] in handlers.onPressure(budget) }
    }
}
