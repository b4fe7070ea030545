/// Every order in which the steps of the sleep protocol can fall, with the store buffers of real processors and without
/// any time-out. The steps are those of `SleepGate`, `WakeGate`, `RingReader.look` and `RingWriter.write`, one for one.
struct SleepModel {
    /// What the sleeper waits on.
    enum Bed {
        /// The writer's position, as shipped.
        case position
        /// The sleeper's own flag: the obvious way, and wrong.
        case ownFlag
        /// A message on the control socket, as a host at rest does.
        case doorbell
    }

    var bed = Bed.position
    /// Whether both sides fence between their store and their load, as shipped.
    var fences = true
    /// Whether the sleeper looks again after its flag is up, as shipped.
    var looksAgain = true
    let messages: UInt8 = 3

    enum ReaderStep: UInt8 {
        case look, raiseFlag, fence, lookAgain, sleep, asleep, lowerFlag
    }

    enum WriterStep: UInt8 {
        case publish, fence, readFlag, wake
    }

    struct State: Hashable {
        // Shared memory.
        var position: UInt8 = 0
        var flag = false
        // What each side has stored and no other core sees yet.
        var bufferedPosition: UInt8?
        var bufferedFlag: Bool?
        // The reader.
        var reader = ReaderStep.look
        var seen: UInt8 = 0
        // The writer.
        var writer = WriterStep.publish
        var published: UInt8 = 0
        var doorbells: UInt8 = 0
    }

    /// How many states there are, and one in which the reader sleeps for ever although there is something to read.
    func search() -> (states: Int, lost: State?) {
        var known: Set<State> = [State()]
        var todo = [State()]
        while let state = todo.popLast() {
            let following = next(state)
            if following.isEmpty, state.seen < messages { return (known.count, state) }
            for state in following where known.insert(state).inserted { todo.append(state) }
        }
        return (known.count, nil)
    }

    private func next(_ state: State) -> [State] {
        flushes(state) + readerSteps(state) + writerSteps(state)
    }

    /// A buffered store reaches memory at any time.
    private func flushes(_ state: State) -> [State] {
        var found: [State] = []
        if let position = state.bufferedPosition {
            found.append(state.with { ($0.position, $0.bufferedPosition) = (position, nil) })
        }
        if let flag = state.bufferedFlag {
            found.append(state.with { ($0.flag, $0.bufferedFlag) = (flag, nil) })
        }
        return found
    }

    private func readerSteps(_ state: State) -> [State] {
        guard state.seen < messages else { return [] }
        switch state.reader {
        case .look:
            if state.position != state.seen { return [state.with { $0.seen = $0.position }] }
            return [state.with { $0.reader = .raiseFlag }]
        case .raiseFlag:
            guard state.bufferedFlag == nil else { return [] }
            return [state.with { ($0.bufferedFlag, $0.reader) = (true, fences ? .fence : .lookAgain) }]
        case .fence:
            return state.bufferedFlag == nil ? [state.with { $0.reader = .lookAgain }] : []
        case .lookAgain:
            let hasNews = looksAgain && state.position != state.seen
            return [state.with { $0.reader = hasNews ? .lowerFlag : .sleep }]
        case .sleep: return [fallAsleep(state)].compactMap { $0 }
        case .asleep:
            // A doorbell stays in the socket; a futex sleeper needs its waker, who moves it on.
            guard bed == .doorbell, state.doorbells > 0 else { return [] }
            return [state.with { ($0.doorbells, $0.reader) = (0, .lowerFlag) }]
        case .lowerFlag:
            guard state.bufferedFlag == nil else { return [] }
            return [state.with { ($0.bufferedFlag, $0.reader) = (false, .look) }]
        }
    }

    /// The kernel compares and enqueues in one step. Entering it empties the caller's own store buffer.
    private func fallAsleep(_ state: State) -> State? {
        guard state.bufferedFlag == nil else { return nil }
        switch bed {
        case .position: return state.with { $0.reader = $0.position == $0.seen ? .asleep : .lowerFlag }
        case .ownFlag: return state.with { $0.reader = $0.flag ? .asleep : .lowerFlag }
        case .doorbell: return state.with { $0.reader = .asleep }
        }
    }

    private func writerSteps(_ state: State) -> [State] {
        switch state.writer {
        case .publish:
            guard state.published < messages, state.bufferedPosition == nil else { return [] }
            return [
                state.with {
                    $0.published += 1
                    $0.bufferedPosition = $0.published
                    $0.writer = fences ? .fence : .readFlag
                }
            ]
        case .fence:
            return state.bufferedPosition == nil ? [state.with { $0.writer = .readFlag }] : []
        case .readFlag: return [state.with { $0.writer = $0.flag ? .wake : .publish }]
        case .wake:
            // A system call: the writer's own stores are visible.
            guard state.bufferedPosition == nil else { return [] }
            return [
                state.with {
                    $0.writer = .publish
                    if bed == .doorbell {
                        $0.doorbells = 1
                    } else if $0.reader == .asleep {
                        $0.reader = .lowerFlag
                    }
                }
            ]
        }
    }
}

extension SleepModel.State {
    func with(_ change: (inout SleepModel.State) -> Void) -> SleepModel.State {
        var copy = self
        change(&copy)
        return copy
    }
}
