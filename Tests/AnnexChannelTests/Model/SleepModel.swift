/// Every order in which the steps of one ring can fall: a writer that waits for room and a reader that waits for frames,
/// with the store buffers of real processors, with rings that go round, and without any time-out.
///
/// The steps are those of `RingWriter`, `WakeGate` and a sender's `SleepGate` on one side, of `RingReader`, a receiver's
/// `SleepGate` and its giving back of room on the other, one for one. A frame takes one line; headers are the numbers of
/// their frames.
struct SleepModel {
    /// What the reader waits on.
    enum Bed {
        /// The header that the writer stores next, as a host does.
        case header
        /// A count of the sleeper's that the writer raises before it wakes, as an extension does.
        case bell
        /// The same, looked up only when the sleeper goes to sleep.
        case bellReadLate
        /// The sleeper's own flag: the obvious way, and wrong.
        case ownFlag
        /// A message on the control socket, as a host at rest does.
        case doorbell
        /// The header, and a count that another thread of the host raises after it has handed in a job, as a thread
        /// does that leads while it is idle.
        case headerAndSummons
        /// The same, but the count is looked up only when the sleeper goes to sleep.
        case headerAndLateSummons
    }

    /// When a writer that has shown a frame reads the flag of a sleeper.
    enum Telling {
        case atOnce
        /// Later or, if an answer says that the frame was taken, never, as shipped.
        case unlessTaken
        /// As if each frame had been taken.
        case never
    }

    /// What a writer does that has shown an answer whose caller said that it looks by itself.
    enum Attendance {
        /// Callers say no such thing.
        case none
        /// It rings if the caller has asked for that since, as a task does before it suspends, as shipped.
        case asked
        /// The caller suspends and leaves the doorbell asked for as it was.
        case forgotten
    }

    var bed = Bed.header
    var telling = Telling.atOnce
    var attendance = Attendance.none
    /// Whether both sides fence between their store and their load, as shipped.
    var fences = true
    /// Whether a sleeper polls again after its flag is up, as shipped.
    var looksAgain = true
    /// Whether the place of the next header is cleared before a header is shown, as shipped.
    var clears = true
    /// Whether a writer that shows two frames at once wakes a sleeper on the first of them, as shipped, or on the last.
    var wakesFirst = true
    /// How many frames go out at once.
    var batch: UInt8 = 1
    /// How many frames a reader takes before it says so. Shipped: a quarter of the ring at most.
    var step: UInt8 = 1
    /// Whether a sleeper with a summons is marked as idle in the step in which it finds no job, as shipped.
    var marksIdleAtOnce = true
    let lines: UInt8 = 4
    let messages: UInt8 = 6

    /// How many jobs another thread of the reader's process hands in.
    var jobs: UInt8 { hasSummons ? 2 : 0 }
    var hasSummons: Bool { bed == .headerAndSummons || bed == .headerAndLateSummons }

    enum ReaderStep: UInt8 {
        case look, readBell, raiseFlag, fence, lookAgain, sleep, asleep, lowerFlag
        case giveBack, fenceRoom, readSender, wakeSender
        case readSummons, takeJob, markIdle
    }

    /// Another thread of the reader's process, which hands in jobs.
    enum CallerStep: UInt8 {
        case add, raise, wake
    }

    enum WriterStep: UInt8 {
        case room, raiseFlag, fenceRoom, lookAgain, sleep, asleep, lowerFlag
        case clear, publish, fence, readFlag, ring, wake
    }

    struct State: Hashable {
        // Shared memory: four headers, the reader's position, both flags.
        var headers = SIMD4<UInt8>()
        var consumed: UInt8 = 0
        var receiver = false
        var sender = false
        // What each side has stored and no other core sees yet.
        var bufferedClear: UInt8?
        var bufferedHeader: UInt8?
        var bufferedSender: Bool?
        var bufferedReceiver: Bool?
        var bufferedConsumed: UInt8?
        // The reader: how many frames it took, and said so.
        var reader = ReaderStep.look
        var taken: UInt8 = 0
        var told: UInt8 = 0
        /// It took an old frame, or one out of turn, for the next.
        var mistook = false
        // The writer: how many frames it wrote and showed, and where it believes the reader is.
        var writer = WriterStep.room
        var written: UInt8 = 0
        var shown: UInt8 = 0
        var seen: UInt8 = 0
        var doorbells: UInt8 = 0
        /// How often it rang, and how often the reader knows of.
        var rings: UInt8 = 0
        var heard: UInt8 = 0
        // The reader's process: jobs that were handed in and that ran, and the summons.
        var caller = CallerStep.add
        var added: UInt8 = 0
        var ran: UInt8 = 0
        var isIdle = false
        var summons: UInt8 = 0
        var seenSummons: UInt8 = 0
    }

    /// The number of states, and one in which a side sleeps for ever although it has something to do, or in which the
    /// reader took something that is no frame.
    func search() -> (states: Int, lost: State?) {
        var known: Set<State> = [State()]
        var todo = [State()]
        while let state = todo.popLast() {
            let following = state.mistook ? [] : next(state)
            if following.isEmpty, !isDone(state) { return (known.count, state) }
            for state in following where known.insert(state).inserted { todo.append(state) }
        }
        return (known.count, nil)
    }

    private func next(_ state: State) -> [State] {
        flushes(state) + readerSteps(state) + writerSteps(state) + callerSteps(state)
    }

    func isDone(_ state: State) -> Bool { state.taken == messages && state.ran == jobs }

    func place(_ frame: UInt8) -> Int {
        Int(frame % lines)
    }
}

extension SleepModel.State {
    func with(_ change: (inout SleepModel.State) -> Void) -> SleepModel.State {
        var copy = self
        change(&copy)
        return copy
    }

    var writerHasStored: Bool { bufferedClear == nil && bufferedHeader == nil && bufferedSender == nil }
    var readerHasStored: Bool { bufferedReceiver == nil && bufferedConsumed == nil }
}
