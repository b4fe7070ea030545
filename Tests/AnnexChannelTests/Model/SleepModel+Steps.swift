extension SleepModel {
    /// A buffered store may reach memory at any time. A release store reaches memory only after the stores before it.
    func flushes(_ state: State) -> [State] {
        var found: [State] = []
        if let frame = state.bufferedClear {
            found.append(state.with { ($0.headers[place(frame)], $0.bufferedClear) = (0, nil) })
        }
        if let frame = state.bufferedHeader, state.bufferedClear == nil {
            found.append(state.with { ($0.headers[place(frame)], $0.bufferedHeader) = (frame + 1, nil) })
        }
        if let flag = state.bufferedSender {
            found.append(state.with { ($0.sender, $0.bufferedSender) = (flag, nil) })
        }
        if let flag = state.bufferedReceiver {
            found.append(state.with { ($0.receiver, $0.bufferedReceiver) = (flag, nil) })
        }
        if let position = state.bufferedConsumed {
            found.append(state.with { ($0.consumed, $0.bufferedConsumed) = (position, nil) })
        }
        return found
    }

    func readerSteps(_ state: State) -> [State] {
        guard !isDone(state) || state.reader.isGivingBack else { return [] }
        let header = state.headers[place(state.taken)]
        switch state.reader {
        case .look:
            if header == 0 { return [state.with { $0.reader = firstStepToSleep }] }
            return [state.with { take(&$0, header) }]
        case .readSummons, .takeJob, .markIdle: return idleSteps(state)
        case .readBell: return [state.with { ($0.heard, $0.reader) = ($0.rings, .raiseFlag) }]
        case .raiseFlag: return buffered(state, attendance != .forgotten, fences ? .fence : .lookAgain)
        case .fence: return state.readerHasStored ? [state.with { $0.reader = .lookAgain }] : []
        case .lookAgain: return [state.with { $0.reader = looksAgain && header != 0 ? .lowerFlag : .sleep }]
        case .sleep:
            return state.readerHasStored ? [state.with { $0.reader = wakes($0, header) ? .lowerFlag : .asleep }] : []
        case .asleep:
            // A doorbell stays in the socket. A sleeper on a futex continues only when the waker wakes it.
            guard bed == .doorbell, state.doorbells > 0 else { return [] }
            return [state.with { ($0.doorbells, $0.reader) = (0, .lowerFlag) }]
        case .lowerFlag: return buffered(state, false, .look)
        case .giveBack:
            guard state.bufferedConsumed == nil else { return [] }
            return [
                state.with {
                    ($0.told, $0.bufferedConsumed, $0.reader) = ($0.taken, $0.taken, fences ? .fenceRoom : .readSender)
                }
            ]
        case .fenceRoom: return state.readerHasStored ? [state.with { $0.reader = .readSender }] : []
        case .readSender: return [state.with { $0.reader = $0.sender ? .wakeSender : .look }]
        case .wakeSender:
            guard state.readerHasStored else { return [] }
            return [
                state.with {
                    $0.reader = .look
                    if $0.writer == .asleep { $0.writer = .lowerFlag }
                }
            ]
        }
    }

    private func take(_ state: inout State, _ header: UInt8) {
        state.mistook = header != state.taken + 1
        state.taken += 1
        if state.taken - state.told >= step { state.reader = .giveBack }
    }

    private func buffered(_ state: State, _ flag: Bool, _ next: ReaderStep) -> [State] {
        guard state.bufferedReceiver == nil else { return [] }
        return [state.with { ($0.bufferedReceiver, $0.reader) = (flag, next) }]
    }

    private var firstStepToSleep: ReaderStep {
        if hasSummons { return .readSummons }
        return bed == .bell ? .readBell : .raiseFlag
    }

    private var hasBell: Bool { bed == .bell || bed == .bellReadLate }

    /// The kernel compares the word and enqueues the sleeper in one step.
    private func wakes(_ state: State, _ header: UInt8) -> Bool {
        switch bed {
        case .header: header != 0
        case .ownFlag: !state.receiver
        case .bell: state.rings != state.heard
        case .headerAndSummons: header != 0 || state.summons != state.seenSummons
        case .headerAndLateSummons: header != 0
        case .bellReadLate, .doorbell: false
        }
    }

    func writerSteps(_ state: State) -> [State] {
        switch state.writer {
        case .room, .raiseFlag, .fenceRoom, .lookAgain, .sleep, .asleep, .lowerFlag: return roomSteps(state)
        case .clear:
            guard state.bufferedClear == nil, state.bufferedHeader == nil else { return [] }
            return [
                state.with {
                    if clears { $0.bufferedClear = $0.shown + count($0) }
                    $0.writer = .publish
                }
            ]
        case .publish: return publish(state)
        case .fence: return (state.writerHasStored ? [state.with { $0.writer = .readFlag }] : []) + untold(state)
        case .readFlag: return [state.with { $0.writer = $0.receiver ? (hasBell ? .ring : .wake) : .room }]
        case .ring:
            // An atomic addition, so the writer's earlier stores are visible.
            return state.writerHasStored ? [state.with { ($0.rings, $0.writer) = ($0.rings + 1, .wake) }] : []
        case .wake:
            // A system call, so the writer's own stores are visible.
            guard state.writerHasStored else { return [] }
            return [state.with { wake(&$0) }]
        }
    }

    /// The writer continues without reading the flag.
    private func untold(_ state: State) -> [State] {
        switch telling {
        case .atOnce: []
        case .unlessTaken: state.taken == state.shown ? [state.with { $0.writer = .room }] : []
        case .never: [state.with { $0.writer = .room }]
        }
    }

    /// The number of frames that are published now.
    private func count(_ state: State) -> UInt8 {
        min(batch, messages - state.shown)
    }

    /// The later frames are stored before the first frame. As long as the first frame is missing, the reader cannot see
    /// the later frames.
    private func publish(_ state: State) -> [State] {
        guard state.bufferedHeader == nil else { return [] }
        return [
            state.with {
                let count = count($0)
                if count == 2, $0.bufferedClear == nil || !clears { $0.headers[place($0.shown + 1)] = $0.shown + 2 }
                if count == 2, $0.bufferedClear != nil { return }
                ($0.bufferedHeader, $0.written) = ($0.shown, $0.shown)
                $0.shown += count
                $0.writer = fences ? .fence : .readFlag
            }
        ].filter { $0 != state }
    }

    private func wake(_ state: inout State) {
        state.writer = .room
        let alarm = wakesFirst ? state.written : state.shown - 1
        switch bed {
        case .doorbell: state.doorbells = 1
        case .header where place(alarm) != place(state.taken): break
        case .headerAndSummons where place(alarm) != place(state.taken): break
        case .headerAndLateSummons where place(alarm) != place(state.taken): break
        default: if state.reader == .asleep { state.reader = .lowerFlag }
        }
    }

    /// Whether there is room for the frames to be sent and the line behind them.
    private func hasRoom(_ state: State) -> Bool {
        state.shown + count(state) + 1 - state.seen <= lines
    }

    private func roomSteps(_ state: State) -> [State] {
        guard state.shown < messages else { return [] }
        switch state.writer {
        case .room:
            return [
                state.with {
                    if !hasRoom($0) { $0.seen = $0.consumed }
                    $0.writer = hasRoom($0) ? .clear : .raiseFlag
                }
            ]
        case .raiseFlag:
            guard state.bufferedSender == nil else { return [] }
            return [state.with { ($0.bufferedSender, $0.writer) = (true, fences ? .fenceRoom : .lookAgain) }]
        case .fenceRoom: return state.writerHasStored ? [state.with { $0.writer = .lookAgain }] : []
        case .lookAgain:
            return [state.with { $0.writer = looksAgain && $0.consumed != $0.seen ? .lowerFlag : .sleep }]
        case .sleep:
            guard state.writerHasStored else { return [] }
            return [state.with { $0.writer = $0.consumed == $0.seen ? .asleep : .lowerFlag }]
        case .lowerFlag:
            guard state.bufferedSender == nil else { return [] }
            return [state.with { ($0.bufferedSender, $0.writer) = (false, .room) }]
        default: return []
        }
    }
}

extension SleepModel.ReaderStep {
    var isGivingBack: Bool {
        switch self {
        case .giveBack, .fenceRoom, .readSender, .wakeSender: true
        default: false
        }
    }
}
