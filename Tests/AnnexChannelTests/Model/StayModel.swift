/// Tries every order in which the steps of a ring with staying frames can occur. While the writer knows that the last
/// frame was taken, the next frame stays in the same place. Otherwise the next frame lies after it. The model has a
/// store buffer, and loads may happen early if no rule forbids it. The reader sleeps on the word that it has seen.
/// There is no timeout.
///
/// The steps match the shipped code one for one: `RingWriter.publishAtOnce` with its move to the next place,
/// `WakeGate`, `RingReader.poll` and `SleepGate`. A frame takes one line of the ring. There are as many lines as
/// frames, so the ring does not wrap around. `SleepModel` covers rings that wrap around, clearing, room and batches.
/// If there is no room for a frame, the shipped code moves to the next place without a frame there. Neither model
/// covers that case.
struct StayModel {
    /// Whether the writer waits until it knows that the last frame was taken, before it writes another frame over
    /// that frame. The shipped code does so.
    var waitsToKnow = true
    /// Whether consecutive frames in one place differ by their lap, as in the shipped code.
    var laps = true
    /// Whether the next frame is stored before the frame that stayed points to it, as in the shipped code.
    var behindFirst = true
    /// Whether a writer that moves on wakes a sleeper on the frame that stayed, as in the shipped code. Otherwise it
    /// wakes a sleeper on the next frame.
    var wakesStayed = true
    /// Whether a frame's first word is stored after the rest of the frame, as in the shipped code. Otherwise other
    /// cores may see the word first.
    var releases = true
    /// Whether a frame is loaded after its first word, as in the shipped code. Otherwise a core may load the frame
    /// first.
    var acquires = true
    let messages: UInt8 = 4

    /// A header's first word. Without a frame, it is 0.
    struct Word: Hashable {
        var isThere = false
        var lap = false
        var stays = false
    }

    struct Line: Hashable {
        var word = Word()
        /// The message that lies here.
        var message: UInt8 = 0
    }

    struct Store: Hashable {
        var line: UInt8
        /// Exactly one of `word` and `message` is stored.
        var word: Word?
        var message: UInt8?
    }

    enum WriterStep: UInt8 { case write, fence, readFlag, wake }
    enum ReaderStep: UInt8 { case look, copy, raiseFlag, fence, lookAgain, sleep, asleep, lowerFlag }

    struct State: Hashable {
        var lines = [Line](repeating: Line(), count: 5)
        var receiver = false
        /// The writer's stores that the reader does not see yet, in order.
        var stores: [Store] = []
        var storedFlag: Bool?
        // The writer: its next message, that message's place, the word that stays there, and the place whose word a
        // sleeper waits on.
        var writer = WriterStep.write
        var next: UInt8 = 0
        var place: UInt8 = 0
        var staying: Word?
        var lap = false
        var alarm: UInt8 = 0
        // The reader: how many messages it has taken, the place that it reads, and the word that it knows there.
        var reader = ReaderStep.look
        var taken: UInt8 = 0
        var position: UInt8 = 0
        var known = Word()
        /// The new word that the reader has seen, and a message that it loaded before that word.
        var looked = Word()
        var early: UInt8?
        var mistook = false
    }

    /// The number of states, and a faulty state if there is one. In a faulty state, a side sleeps for ever, or the
    /// reader has taken a frame out of order.
    func search() -> (states: Int, lost: State?) {
        var seen: Set<State> = [State()]
        var todo = [State()]
        while let state = todo.popLast() {
            if state.mistook { return (seen.count, state) }
            let following = flushes(state) + writerSteps(state) + readerSteps(state)
            if following.isEmpty, state.taken < messages { return (seen.count, state) }
            for state in following where seen.insert(state).inserted { todo.append(state) }
        }
        return (seen.count, nil)
    }

    private func flushes(_ state: State) -> [State] {
        var found: [State] = []
        // A store without order may become visible before earlier stores.
        for index in state.stores.indices.prefix(releases ? 1 : 2) {
            let store = state.stores[index]
            found.append(
                state.with {
                    if let word = store.word { $0.lines[Int(store.line)].word = word }
                    if let message = store.message { $0.lines[Int(store.line)].message = message }
                    $0.stores.remove(at: index)
                })
        }
        if let flag = state.storedFlag {
            found.append(state.with { ($0.receiver, $0.storedFlag) = (flag, nil) })
        }
        return found
    }
}

extension StayModel {
    private func writerSteps(_ state: State) -> [State] {
        switch state.writer {
        case .write:
            guard state.next < messages else { return [] }
            // Both cases are possible: a frame that stays, and a frame that does not.
            return [true, false].flatMap { stays in write(state, stays: stays) }
        case .fence: return state.stores.isEmpty ? [state.with { $0.writer = .readFlag }] : []
        case .readFlag: return [state.with { $0.writer = $0.receiver ? .wake : .write }]
        case .wake:
            return [
                state.with {
                    $0.writer = .write
                    if $0.reader == .asleep, $0.position == $0.alarm { $0.reader = .lowerFlag }
                }
            ]
        }
    }

    private func write(_ state: State, stays: Bool) -> [State] {
        guard let staying = state.staying else { return [state.with { put(&$0, stays: stays) }] }
        var found = [state.with { goOn(&$0, staying, stays: stays) }]
        // An answer showed that the reader has taken all frames. Only a reader that has taken them can send this
        // answer.
        let isKnown = state.stores.isEmpty && state.taken == state.next
        if stays, isKnown || !waitsToKnow { found.append(state.with { put(&$0, stays: true) }) }
        return found
    }

    private func put(_ state: inout State, stays: Bool) {
        if stays && laps { state.lap.toggle() }
        let word = Word(isThere: true, lap: stays && state.lap, stays: stays)
        state.stores.append(Store(line: state.place, message: state.next))
        state.stores.append(Store(line: state.place, word: word))
        state.alarm = state.place
        state.next += 1
        state.staying = stays ? word : nil
        if !stays { state.place += 1 }
        state.writer = .fence
    }

    private func goOn(_ state: inout State, _ staying: Word, stays: Bool) {
        var word = staying
        word.stays = false
        let stayed = state.place
        let movedOn = Store(line: stayed, word: word)
        state.place += 1
        if !behindFirst { state.stores.append(movedOn) }
        // A frame that is sent in the general way does not stay.
        put(&state, stays: false)
        if behindFirst { state.stores.append(movedOn) }
        if wakesStayed { state.alarm = stayed }
    }

    private func readerSteps(_ state: State) -> [State] {
        guard state.taken < messages else { return [] }
        let line = state.lines[Int(state.position)]
        switch state.reader {
        case .look:
            let looked = state.with { look(&$0, line) }
            guard !acquires, state.early == nil else { return [looked] }
            return [looked, state.with { $0.early = line.message }]
        case .copy: return [state.with { copy(&$0, $0.early ?? line.message) }]
        case .raiseFlag: return store(state, true, .fence)
        case .fence: return state.storedFlag == nil ? [state.with { $0.reader = .lookAgain }] : []
        case .lookAgain: return [state.with { $0.reader = line.word == $0.known ? .sleep : .lowerFlag }]
        // The kernel compares the word and enqueues the sleeper in one step.
        case .sleep: return [state.with { $0.reader = line.word == $0.known ? .asleep : .lowerFlag }]
        case .asleep: return []
        case .lowerFlag: return store(state, false, .look)
        }
    }

    private func look(_ state: inout State, _ line: Line) {
        var movedOn = state.known
        movedOn.stays = false
        if line.word == state.known {
            state.reader = .raiseFlag
        } else if state.known.stays, line.word == movedOn {
            (state.position, state.known, state.early) = (state.position + 1, Word(), nil)
        } else {
            (state.looked, state.reader) = (line.word, .copy)
        }
    }

    private func copy(_ state: inout State, _ message: UInt8) {
        state.mistook = !state.looked.isThere || message != state.taken
        state.taken += 1
        state.known = state.looked.stays ? state.looked : Word()
        if !state.looked.stays { state.position += 1 }
        (state.looked, state.early, state.reader) = (Word(), nil, .look)
    }

    private func store(_ state: State, _ flag: Bool, _ next: ReaderStep) -> [State] {
        state.storedFlag == nil ? [state.with { ($0.storedFlag, $0.reader) = (flag, next) }] : []
    }
}

extension StayModel.State {
    fileprivate func with(_ change: (inout Self) -> Void) -> Self {
        var state = self
        change(&state)
        return state
    }
}
