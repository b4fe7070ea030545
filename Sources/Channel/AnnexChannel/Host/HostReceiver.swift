internal import AnnexLinux

/// The receiving half of a host's endpoint; whoever holds its lock leads: it alone reads the ring.
struct HostReceiver: ~Copyable, Sendable {
    var reader: RingReader
    let arena: ArenaBytes
    /// The answer that comes in pieces.
    var large: LargeMessage?
    /// Sleeps until the extension has published something.
    private let gate: SleepGate
    /// Wakes an extension that waits for room.
    private let wake: WakeGate
    /// This side's position, which an extension that waits for room sleeps on.
    private let consumed: WritableWord
    var spinner: Spinner
    var saidHello = false
    /// Whether the extension rings for attended answers, too, where it is asked to: then tasks' calls are attended.
    var attendsTasks = false
    /// How often a doorbell was asked for.
    private(set) var turns: UInt32 = 0
    /// Whether the flag still asks for it.
    private(set) var asksForDoorbell = false
    /// Whether it asks for every one.
    private(set) var asksForEvery = false
    /// Calls made without an entry in the table, each by the thread that leads: `RawCall`.
    var rawCalls = RawCalls()
    /// Whether a task's call has found as many calls open as there may be.
    var tableIsFull = false
    /// How much was read when the last doorbell came.
    private var heardAt: UInt32?
    /// How much was read when the extension last ended a sleep.
    private var wokenAt: UInt32?
    var frames: RateBudget
    var bytes: RateBudget
    var futile: RateBudget

    init(own: borrowing OwnRegion, peer: borrowing PeerRegion, configuration: ChannelConfiguration) {
        reader = RingReader(ring: peer.ring, consumed: own.consumed)
        gate = SleepGate(flag: own.receiver)
        wake = WakeGate(flag: peer.sender, most: 1)
        consumed = own.consumed
        arena = peer.arena
        spinner = Spinner(configuration.waiting, ProcessorHint(own: own.processor, peer: peer.processor))
        let period = configuration.budgetPeriod
        frames = RateBudget(limit: configuration.framesPerSecond, period: period)
        bytes = RateBudget(limit: configuration.bytesPerSecond, period: period)
        futile = RateBudget(limit: configuration.futileWakeUpsPerSecond, period: period)
    }

    /// Gives the room of the frames taken back.
    /// - Returns: whether the kernel was asked to wake a writer.
    @inline(__always) mutating func giveBack() -> Bool {
        reader.giveBack() && wake.wakeIfAsleep(on: consumed)
    }

    /// Gives back what was read and the places of its pieces: the extension may wait for the last of them.
    mutating func giveBackAll() -> Bool {
        reader.giveBackAll()
        return wake.wakeIfAsleep(on: consumed)
    }

    /// From here on the extension rings when it publishes.
    /// - Parameter every: also for answers to callers that had said that they look by themselves.
    mutating func askForDoorbell(every: Bool) {
        turns &+= 1
        // The count's upper bits are lost, and a state without any is another one.
        if turns << 2 == 0 { turns &+= 1 }
        asksForDoorbell = true
        asksForEvery = every
        gate.announce(every ? ReceiverState.wantsEveryDoorbell(turns) : ReceiverState.wantsDoorbell(turns))
    }

    /// This side looks by itself from here on.
    mutating func withdraw() {
        (asksForDoorbell, asksForEvery) = (false, false)
        gate.withdraw()
    }

    /// Says that this side is about to sleep on the next header. What follows must look at it again before it does.
    mutating func announceSleep() {
        (asksForDoorbell, asksForEvery) = (false, false)
        gate.announce()
    }

    /// Sleeps until something is published or the time is over. `announceSleep` comes before.
    func sleep(until deadline: UInt64) -> FutexWait {
        reader.hasNews ? .changed : gate.sleep(on: reader.bed, while: reader.bedValue, until: deadline)
    }

    /// A frame that answers no open call.
    mutating func spendFrame() throws(ChannelViolation) {
        guard frames.spend(at: MonotonicClock.now()) else { throw .messageBudget(.frames, limit: frames.limit) }
    }

    /// A doorbell was heard, and what is there has been read. One that no frame came with since the last is a wake-up
    /// for nothing, though this side asked for it.
    mutating func hear() throws(ChannelViolation) {
        defer { heardAt = reader.taken }
        if heardAt == reader.taken { try spendFutileWakeUp() }
    }

    /// The extension ended a sleep, by waking this side or by another word. One after which nothing was read before it
    /// ended the next was for nothing, whatever lay there for a moment.
    mutating func noteWakeUp() throws(ChannelViolation) {
        defer { wokenAt = reader.taken }
        if wokenAt == reader.taken { try spendFutileWakeUp() }
    }

    private mutating func spendFutileWakeUp() throws(ChannelViolation) {
        guard futile.spend(at: MonotonicClock.now()) else { throw .messageBudget(.wakeUps, limit: futile.limit) }
    }
}

// Budgets. What is left of a second's budget still goes; the owner is told once when a quarter is left.
extension HostReceiver {
    /// Counts a frame that nobody asked for, and its bytes.
    mutating func spend(_ frame: Frame, _ state: ChannelState) throws(ChannelViolation) {
        let now = MonotonicClock.now()
        guard frames.spend(at: now) else { throw .messageBudget(.frames, limit: frames.limit) }
        try spend(bytes: frame.payload.count, at: now, state)
        if frames.mustWarn() { state.warn(.frames) }
    }

    /// Counts the bytes of a frame that had to be expected and is for nobody; an empty one takes time too.
    mutating func spendBytes(_ frame: Frame, _ state: ChannelState) throws(ChannelViolation) {
        try spend(bytes: max(frame.payload.count, 64), at: MonotonicClock.now(), state)
    }

    mutating func spend(bytes count: Int, at now: UInt64, _ state: ChannelState) throws(ChannelViolation) {
        guard bytes.spend(UInt32(clamping: count), at: now) else {
            throw .messageBudget(.bytes, limit: bytes.limit)
        }
        if bytes.mustWarn() { state.warn(.bytes) }
    }
}

extension ChannelState {
    fileprivate func warn(_ budget: ChannelViolation.MessageBudget) {
        tell { [handlers] in handlers.onPressure(budget) }
    }
}
