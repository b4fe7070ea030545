/// Tries every order in which the steps of one ring can occur. A writer waits for room, and a reader waits for frames.
/// The model has the store buffers of real processors. Its rings wrap around, and it has no timeout.
///
/// The steps match the shipped code one for one. The writer's steps are those of `RingWriter`, `WakeGate` and a
/// sender's `SleepGate`. The reader's steps are those of `RingReader`, a receiver's `SleepGate`, and the return of
/// room. A frame takes one line of the ring, and a header is the number of its frame.
struct SleepModel {
    /// The word on which the reader waits.
    enum Bed {
        /// The header that the writer stores next, as for a host.
        case header
        /// A count of the sleeper, which the writer raises before it wakes the sleeper, as for an extension.
        case bell
        /// The same count, but the sleeper reads it only when it goes to sleep.
        case bellReadLate
        /// The sleeper's own flag. To wait on this flag seems obvious, but it is wrong.
        case ownFlag
        /// A message on the control socket, as for a host at rest.
        case doorbell
        /// The header and a count. Another thread of the host raises the count after it has handed in a job. A leading
        /// thread waits in this way while it is idle.
        case headerAndSummons
        /// The same header and count, but the sleeper reads the count only when it goes to sleep.
        case headerAndLateSummons
    }

    /// The moment at which a writer that has published a frame reads the sleeper's flag.
    enum Telling {
        case atOnce
        /// The writer reads the flag later, as the shipped code does. If an answer shows that the frame was taken, the
        /// writer never reads the flag.
        case unlessTaken
        /// The writer behaves as if each frame had been taken.
        case never
    }

    /// The conduct of a writer that has published an answer to an attended call, whose caller polls.
    enum Attendance {
        /// No call is attended.
        case none
        /// The writer rings if the caller has asked for the doorbell since then. The shipped code does so. A task asks
        /// for it before it suspends.
        case asked
        /// The caller suspends and does not change the request for the doorbell.
        case forgotten
    }

    var bed = Bed.header
    var telling = Telling.atOnce
    var attendance = Attendance.none
    /// Whether both sides have a fence between their store and their load, as in the shipped code.
    var fences = true
    /// Whether a sleeper polls again after it has set its flag, as in the shipped code.
    var looksAgain = true
    /// Whether the place of the next header is cleared before a header is shown, as in the shipped code.
    var clears = true
    /// Whether a writer that publishes two frames at once wakes a sleeper on the first frame, as in the shipped code.
    /// Otherwise it wakes a sleeper on the last frame.
    var wakesFirst = true
    /// The number of frames that are published at once.
    var batch: UInt8 = 1
    /// The number of frames that a reader takes before it publishes its position. In the shipped code, this is at most
    /// a quarter of the ring.
    var step: UInt8 = 1
    /// Whether a sleeper with a summons is marked as idle in the same step in which it finds no job. The shipped code
    /// does so.
    var marksIdleAtOnce = true
    let lines: UInt8 = 4
    let messages: UInt8 = 6

    /// The number of jobs that another thread of the reader's process hands in.
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
        // The stores of each side that other cores do not see yet.
        var bufferedClear: UInt8?
        var bufferedHeader: UInt8?
        var bufferedSender: Bool?
        var bufferedReceiver: Bool?
        var bufferedConsumed: UInt8?
        // The reader: the number of frames that it has taken, and how many of them it has published as taken.
        var reader = ReaderStep.look
        var taken: UInt8 = 0
        var told: UInt8 = 0
        /// Whether the reader took an old frame, or a frame out of order, as the next frame.
        var mistook = false
        // The writer: the number of frames that it has written and published, and the last position of the reader that
        // it knows.
        var writer = WriterStep.room
        var written: UInt8 = 0
        var shown: UInt8 = 0
        var seen: UInt8 = 0
        var doorbells: UInt8 = 0
        /// How often the writer rang, and how many of these rings the reader has noticed.
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

    /// The number of states, and a faulty state if there is one. In a faulty state, a side sleeps for ever although it
    /// has work, or the reader has taken bytes that are not a frame.
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
