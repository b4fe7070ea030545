internal import AnnexLinux
internal import Synchronization

/// The receiving half of a host's endpoint. The thread that holds the lock of this half is the leader. Only the leader
/// reads the ring.
struct HostReceiver: ~Copyable, Sendable {
    var reader: RingReader
    let arena: ArenaBytes
    /// The answer that is arriving in pieces.
    var large: LargeMessage?
    /// Sleeps until the extension has published something.
    private let gate: SleepGate
    /// Wakes an extension that waits for room.
    private let wake: WakeGate
    /// This side's read position. An extension that waits for room sleeps on this word.
    private let consumed: WritableWord
    var spinner: Spinner
    var saidHello = false
    /// Whether this side can ask the extension for every doorbell. Usually, the extension rings no doorbell for an
    /// answer to an attended call. While this side asks for every doorbell, the extension rings for such an answer too.
    /// Calls of tasks may be marked as attended only if this value is true.
    var supportsEveryDoorbell = false
    /// How often this side asked for a doorbell.
    private(set) var turns: UInt32 = 0
    /// Whether this side's flag in the shared memory asks for a doorbell now.
    private(set) var asksForDoorbell = false
    /// Whether the flag in the shared memory asks for every doorbell, including doorbells for answers to attended
    /// calls.
    private(set) var asksForEvery = false
    /// The calls that the leader makes for itself, without an entry in the table of calls (`RawCall`). Typed calls may
    /// be among them.
    var rawCalls = RawCalls()
    /// Whether the table of calls was full when the leader last checked it.
    var tableIsFull = false
    /// The value of `reader.bytesRead` when the last doorbell arrived.
    private var rungAt: UInt32?
    /// The value of `reader.bytesRead` when the extension last ended a sleep of the leader.
    private var wokenAt: UInt32?
    private(set) var frames: RateBudget
    var bytes: RateBudget
    var futile: RateBudget

    init(own: borrowing OwnRegion, peer: borrowing PeerRegion, configuration: ChannelConfiguration) {
        reader = RingReader(ring: peer.ring, consumed: own.consumed)
        gate = SleepGate(flag: own.receiver)
        wake = WakeGate(flag: peer.sender, most: 1)
        consumed = own.consumed
        arena = peer.arena
        spinner = Spinner(configuration.waiting, hint: ProcessorHint(own: own.processor, peer: peer.processor))
        let period = configuration.budgetPeriod
        frames = RateBudget(limit: configuration.framesPerSecond, period: period)
        bytes = RateBudget(limit: configuration.bytesPerSecond, period: period)
        futile = RateBudget(limit: configuration.futileWakeUpsPerSecond, period: period)
    }

    /// Lets the extension use the room of the frames that this side has taken.
    /// - Returns: whether this side made a system call to wake a writer.
    @inline(__always) mutating func giveBack() -> Bool {
        reader.giveBack() && wake.wakeIfAsleep(on: consumed)
    }

    /// Gives back at once the room of all frames that were read, and the places of their pieces in the arena.
    /// `giveBack` may give back later, together with more room. Such a delay would be too long here, because the
    /// extension may be waiting for the last piece's place.
    mutating func giveBackAll() -> Bool {
        reader.giveBackAll()
        return wake.wakeIfAsleep(on: consumed)
    }

    /// Asks the extension to ring the doorbell when it publishes.
    /// - Parameter every: whether the extension must also ring for answers to attended calls. Usually the callers of
    ///   attended calls read the ring themselves.
    mutating func askForDoorbell(every: Bool) {
        turns &+= 1
        // The flag holds only the count's lower 30 bits. If these bits are 0, the flag could equal `asleepOnBell`, so
        // such a count is skipped.
        if turns << 2 == 0 { turns &+= 1 }
        asksForDoorbell = true
        asksForEvery = every
        gate.announce(every ? ReceiverState.wantsEveryDoorbell(turns) : ReceiverState.wantsDoorbell(turns))
    }

    /// Stops asking for the doorbell, because this side now reads the ring without a doorbell.
    mutating func withdraw() {
        (asksForDoorbell, asksForEvery) = (false, false)
        gate.withdraw()
    }

    /// Announces a sleep on the next header. The caller must check the header once more before it sleeps.
    mutating func announceSleep() {
        (asksForDoorbell, asksForEvery) = (false, false)
        gate.announce()
    }

    /// Sleeps until a frame is published or the time is over. The caller must have called `announceSleep`.
    func sleep(until deadline: UInt64) -> FutexWait {
        reader.hasNews ? .changed : gate.sleep(on: reader.bed, while: reader.bedValue, until: deadline)
    }

    /// Sleeps until a frame is published or this process summons the thread. The caller must have called
    /// `announceSleep`.
    func sleep(until summons: Summons, since seen: UInt32) -> FutexWait {
        reader.hasNews
            ? .changed : gate.sleep(on: reader.bed, while: reader.bedValue, until: summons, since: seen)
    }

    /// Counts a frame that answers no open call.
    mutating func spendFrame() throws(ChannelViolation) {
        guard frames.spend(at: MonotonicClock.now()) else { throw .messageBudget(.frames, limit: frames.limit) }
    }

    /// Counts a doorbell after the ring was read. A doorbell was futile if no frame has arrived since the previous
    /// doorbell, even if this side asked for the doorbell.
    mutating func recordDoorbell() throws(ChannelViolation) {
        defer { rungAt = reader.bytesRead }
        if rungAt == reader.bytesRead { try spendFutileWakeUp() }
    }

    /// Counts a sleep of the leader that the extension ended, by a wake-up or by changing the word on which the leader
    /// slept. The wake-up was futile if the host has read no frame since the previous sleep that the extension ended.
    /// If the extension published a frame and removed it before the host read it, the wake-up is futile too.
    mutating func recordWakeUp() throws(ChannelViolation) {
        defer { wokenAt = reader.bytesRead }
        if wokenAt == reader.bytesRead { try spendFutileWakeUp() }
    }

    private mutating func spendFutileWakeUp() throws(ChannelViolation) {
        guard futile.spend(at: MonotonicClock.now()) else { throw .messageBudget(.wakeUps, limit: futile.limit) }
    }
}

// Notices that belong to calls. An extension may send a few notices for each call that it answers, for example to report
// progress. The host makes the calls, so a hostile extension gains only as many frames as its host pays for with calls.
extension HostReceiver {
    /// How many frames an answered call allows in addition to the limit.
    static let framesPerAnswer: UInt32 = 4
    /// How many events may wait for their handler, as a multiple of the limit, if the extension has earned as many. The
    /// events of a burst of calls may have to wait for a thread that has no processor.
    private static let mostBacklog: UInt32 = 16

    /// Counts an answer to an open call.
    @inline(__always) mutating func recordAnswer() { frames.earn(HostReceiver.framesPerAnswer) }

    /// Records an answer that the leader did not read for its own call.
    mutating func wasAnswered() {
        spinner.wasAnswered()
        recordAnswer()
    }

    /// How many events may wait for their handler.
    var mostUndelivered: UInt32 {
        let (most, overflow) = frames.limit.multipliedReportingOverflow(by: HostReceiver.mostBacklog)
        return min(frames.allowed, overflow ? .max : most)
    }
}

// Budgets. An extension may use each budget up to its limit. If at most a quarter of the budget for frames or for bytes
// is left, the channel calls the host's `onPressure`. The channel calls it at most once for each budget and period.
extension HostReceiver {
    /// Counts an unsolicited frame and its bytes.
    mutating func spend(_ frame: Frame, state: ChannelState) throws(ChannelViolation) {
        let now = MonotonicClock.now()
        guard frames.spend(at: now) else { throw .messageBudget(.frames, limit: frames.limit) }
        try spend(bytes: frame.payload.count, at: now, state: state)
        if frames.mustWarn() { state.warn(.frames) }
    }

    /// Counts the bytes of an expected frame. A frame counts as at least 64 bytes, because even an empty frame takes
    /// time.
    mutating func spendBytes(of frame: Frame, state: ChannelState) throws(ChannelViolation) {
        try spend(bytes: max(frame.payload.count, 64), at: MonotonicClock.now(), state: state)
    }

    mutating func spend(bytes count: Int, at now: UInt64, state: ChannelState) throws(ChannelViolation) {
        guard bytes.spend(UInt32(clamping: count), at: now) else {
            throw .messageBudget(.bytes, limit: bytes.limit)
        }
        if bytes.mustWarn() { state.warn(.bytes) }
    }
}

extension ChannelState {
    fileprivate func warn(_ budget: ChannelViolation.MessageBudget) {
        runHandler { [handlers] in handlers.onPressure(budget) }
    }
}

/// Puts the leader to sleep, and lets other threads of this process wake it. The leader sleeps on a word in the
/// extension's memory. This process must not change that word.
struct LeaderBed: ~Copyable, Sendable {
    /// This value is odd while the leader sleeps or is about to sleep.
    private let mark = Atomic<UInt64>(0)
    /// The ring position of the word on which the leader sleeps.
    private let position = Atomic<UInt32>(0)
    /// How often this process itself has woken the leader.
    private let interruptions = Atomic<UInt64>(0)

    /// Sleeps until a frame is published or the time is over. If the leader must stop, this method does not sleep.
    func sleep(
        _ receiver: inout HostReceiver, until deadline: UInt64, counter sleeps: Counter, unless mustStop: () -> Bool
    ) throws(ChannelViolation) {
        receiver.spinner.willSleep()
        receiver.announceSleep()
        position.store(receiver.reader.position, ordering: .relaxed)
        // SYNC: the mark becomes odd before `mustStop` is checked. The interrupting thread first makes the change that
        // `mustStop` checks, and then calls `interrupt`. So this thread sees the change, or `interrupt` sees the odd
        // mark.
        mark.add(1, ordering: .sequentiallyConsistent)
        var woken: FutexWait?
        let interruptionsBefore = interruptions.load(ordering: .relaxed)
        if !mustStop() {
            sleeps.add()
            woken = receiver.sleep(until: deadline)
        }
        mark.add(1, ordering: .sequentiallyConsistent)
        receiver.withdraw()
        receiver.spinner.slept()
        if case .failed(let errno) = woken { throw .sharedWord(errno: errno) }
        // Only wake-ups by the extension spend the extension's budget.
        let isOwn = interruptions.load(ordering: .relaxed) != interruptionsBefore
        if woken == .woken || woken == .changed, !isOwn { try receiver.recordWakeUp() }
    }

    /// Sleeps until a frame is published or this process summons the thread. The sleep has no time limit.
    /// - Parameter seen: the count of `summons`, read before the caller found that it may sleep. `mustStop` is checked
    ///   after that.
    func sleep(
        _ receiver: inout HostReceiver, until summons: Summons, since seen: UInt32, counter sleeps: Counter,
        unless mustStop: () -> Bool
    ) throws(ChannelViolation) {
        receiver.announceSleep()
        var woken = FutexWait.interrupted
        if !mustStop() {
            sleeps.add()
            woken = receiver.sleep(until: summons, since: seen)
        }
        receiver.withdraw()
        if case .failed(let errno) = woken { throw .sharedWord(errno: errno) }
        // Only wake-ups by the extension spend the extension's budget.
        if woken == .woken || woken == .changed, summons.count == seen { try receiver.recordWakeUp() }
    }

    /// Wakes a sleeping leader. The leader may have announced its sleep without having begun to sleep. So this method
    /// repeats the wake-up until the sleep is over, at most `SleepGate.mostWakeUps` times.
    func interrupt(_ ring: RingBytes) {
        let seen = mark.load(ordering: .sequentiallyConsistent)
        guard seen & 1 == 1 else { return }
        interruptions.add(1, ordering: .relaxed)
        var left = SleepGate.mostWakeUps
        while left > 0, mark.load(ordering: .sequentiallyConsistent) == seen {
            left &-= 1
            ring.bed(at: position.load(ordering: .relaxed)).wakeSleepers()
            Processor.yield()
        }
    }
}
