/// Tries every order in which the steps of a `LockPair` can occur. A `LockPair` is two locks in one word, and each of
/// the two locks is called a half. Several threads each take one half once. Another thread takes both halves with one
/// atomic access if they are free, and releases both with another access. Except for the case that `visits`
/// describes, the steps are those of the shipped code. Each step is one atomic access to the word, or one action of
/// the kernel.
struct LockModel {
    /// The bits of one half in the word, or of `both` halves. `held` is set while a thread holds the half. `waited`
    /// is set while a thread may sleep until the half is free.
    struct Half: Hashable {
        let held: UInt8
        let waited: UInt8

        static let first = Half(held: 1, waited: 4)
        static let second = Half(held: 2, waited: 8)
        static let both = Half(held: 3, waited: 12)
    }

    /// Whether a thread that has stopped polling also sets `waited` when it takes its half, because other threads may
    /// still sleep. The shipped code does so.
    var suspectsOthers = true
    /// Whether a thread that must wake a sleeper first clears `waited` in the word. If false, the thread clears the
    /// bit after the wake-up. The shipped code clears the bit first.
    var clearsFirst = true
    /// Whether a thread that releases both halves wakes sleepers of both halves. If false, the thread wakes only
    /// sleepers of the first half. The shipped code wakes sleepers of both.
    var wakesBoth = true
    /// The half that each thread wants.
    var halves: [Half] = [.second, .second, .second]
    /// How often a thread tries to take both halves. If they are not free, the thread of this model gives up this
    /// try. The thread of the shipped code then tries to take one half after the other.
    var visits: UInt8 = 2

    enum Step: Hashable {
        case begin
        case look
        case take(seen: UInt8)
        case mark(seen: UInt8)
        case park(expected: UInt8)
        case asleep
        case holds
        case clear
        case wake
        case done
        /// The steps of the thread that takes both halves: at `away` it holds no half, and at `visits` it holds both.
        case away, visits
    }

    struct Thread: Hashable {
        var half: Half
        var step = Step.begin
        /// The halves whose sleepers this thread must still wake.
        var owed: [Half] = []
        /// Whether the thread has polled long enough, so that it sleeps instead of polling again.
        var isTired = false
    }

    struct State: Hashable {
        var word: UInt8 = 0
        var threads: [Thread]
        var visits: UInt8
    }

    enum Fault: Equatable {
        case forgottenSleeper
        case twoHolders
    }

    /// Tries all orders.
    /// - Returns: the number of states that were tried, and the first fault that was found; nil if there is no fault.
    func search() -> (states: Int, fault: Fault?) {
        let visitor = Thread(half: .both, step: .away)
        let start = State(threads: halves.map { Thread(half: $0) } + [visitor], visits: visits)
        var seen: Set<State> = [start]
        var open = [start]
        while let state = open.popLast() {
            if hasTwoHolders(state) { return (seen.count, .twoHolders) }
            let next = following(state)
            if next.isEmpty, state.threads.contains(where: { $0.step != .done && $0.step != .away }) {
                return (seen.count, .forgottenSleeper)
            }
            for state in next where seen.insert(state).inserted { open.append(state) }
        }
        return (seen.count, nil)
    }

    private func hasTwoHolders(_ state: State) -> Bool {
        [Half.first, .second].contains { half in
            state.threads.count { thread in
                (thread.step == .holds || thread.step == .visits) && thread.half.held & half.held != 0
            } > 1
        }
    }

    private func following(_ state: State) -> [State] {
        state.threads.indices.flatMap { following(state, $0) }
    }

    private func following(_ state: State, _ index: Int) -> [State] {
        var next = state
        let thread = state.threads[index]
        let (held, waited) = (thread.half.held, thread.half.waited)
        func to(_ step: Step) -> [State] {
            next.threads[index].step = step
            return [next]
        }
        switch thread.step {
        case .begin:
            guard state.word & (held | waited) == 0 else { return to(.look) }
            next.word |= held
            return to(.holds)
        case .look:
            let seen = state.word
            if seen & held == 0 { return to(.take(seen: seen)) }
            let looksOn = thread.isTired ? [] : to(.look)
            next.threads[index].isTired = true
            return looksOn + to(.mark(seen: seen))
        case .take(let seen):
            guard state.word == seen else { return to(.look) }
            next.word |= held
            if thread.isTired, suspectsOthers { next.word |= waited }
            return to(.holds)
        case .mark(let seen):
            guard seen & waited == 0 else { return to(.park(expected: seen)) }
            guard state.word == seen else { return to(.look) }
            next.word |= waited
            return to(.park(expected: next.word))
        case .park(let expected): return to(state.word == expected ? .asleep : .look)
        case .holds: return letGo(state, index, [thread.half])
        case .clear:
            next.word &= ~(thread.owed.first?.waited ?? 0)
            return clearsFirst ? to(.wake) : next.paid(index, then: .wake)
        case .wake: return waking(state, index)
        case .away:
            guard state.visits > 0 else { return [] }
            next.visits -= 1
            guard state.word == 0 else { return [next] }
            next.word = held
            return to(.visits)
        case .visits: return letGo(state, index, wakesBoth ? [.first, .second] : [.first])
        case .asleep, .done: return []
        }
    }

    /// Releases the thread's half, or both halves, with one atomic access. The word's value before this access shows
    /// which of `halves` may have sleepers, so that the thread must wake them.
    private func letGo(_ state: State, _ index: Int, _ halves: [Half]) -> [State] {
        var next = state
        next.word &= ~state.threads[index].half.held
        next.threads[index].owed = halves.filter { state.word & $0.waited != 0 }
        next.threads[index].step = clearsFirst ? .clear : .wake
        return next.threads[index].owed.isEmpty ? next.rested(index) : [next]
    }

    /// Wakes one of the threads that sleep for the first half in `owed`. The kernel may choose any of these threads,
    /// so the result has one state for each choice.
    private func waking(_ state: State, _ index: Int) -> [State] {
        guard let half = state.threads[index].owed.first else { return [] }
        var next = state
        if !clearsFirst { next.threads[index].step = .clear }
        let sleepers = state.threads.indices.filter {
            state.threads[$0].step == .asleep && state.threads[$0].half == half
        }
        guard !sleepers.isEmpty else { return clearsFirst ? next.paid(index, then: .clear) : [next] }
        return sleepers.flatMap { sleeper in
            var woken = next
            woken.threads[sleeper].step = .look
            return clearsFirst ? woken.paid(index, then: .clear) : [woken]
        }
    }
}

extension LockModel.State {
    /// The state after the thread has done the first wake-up that it owes.
    func paid(_ index: Int, then step: LockModel.Step) -> [LockModel.State] {
        var next = self
        next.threads[index].owed.removeFirst()
        return next.threads[index].owed.isEmpty ? next.rested(index) : [next.with(index, step)]
    }

    /// The state after the thread has done all wake-ups that it owes.
    func rested(_ index: Int) -> [LockModel.State] {
        [with(index, threads[index].half == .both ? .away : .done)]
    }

    private func with(_ index: Int, _ step: LockModel.Step) -> LockModel.State {
        var next = self
        next.threads[index].step = step
        return next
    }
}
