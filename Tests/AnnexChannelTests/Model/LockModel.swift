/// Every order in which the steps of a `HalfLock` can fall: threads that each take it once, and one that changes the
/// other half's bit of the same word meanwhile. Steps are those of the shipped code, one atomic access each.
struct LockModel {
    static let other: UInt8 = 1
    static let held: UInt8 = 2
    static let waited: UInt8 = 4

    /// Whether a thread that has slept takes the lock as if another thread still slept, as shipped.
    var suspectsOthers = true
    /// Whether the word's bit is cleared before a sleeper is woken, as shipped.
    var clearsFirst = true
    var threads = 3
    /// How often the other half's bit changes.
    var changes: UInt8 = 2

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
    }

    struct Thread: Hashable {
        var step = Step.begin
        /// The thread has polled long enough, and sleeps from now on.
        var isTired = false
    }

    struct State: Hashable {
        var word: UInt8 = 0
        var threads: [Thread]
        var changes: UInt8
    }

    enum Fault: Equatable {
        case forgottenSleeper
        case twoHolders
    }

    /// Walks through all of them.
    func search() -> (states: Int, fault: Fault?) {
        let start = State(threads: Array(repeating: Thread(), count: threads), changes: changes)
        var seen: Set<State> = [start]
        var open = [start]
        while let state = open.popLast() {
            if state.threads.count(where: { $0.step == .holds }) > 1 { return (seen.count, .twoHolders) }
            let next = following(state)
            if next.isEmpty, state.threads.contains(where: { $0.step != .done }) {
                return (seen.count, .forgottenSleeper)
            }
            for state in next where seen.insert(state).inserted { open.append(state) }
        }
        return (seen.count, nil)
    }

    private func following(_ state: State) -> [State] {
        var all: [State] = []
        if state.changes > 0 {
            var next = state
            next.changes -= 1
            next.word ^= Self.other
            all.append(next)
        }
        for index in state.threads.indices { all += following(state, index) }
        return all
    }

    private func following(_ state: State, _ index: Int) -> [State] {
        var next = state
        func to(_ step: Step) -> [State] {
            next.threads[index].step = step
            return [next]
        }
        switch state.threads[index].step {
        case .begin:
            guard state.word & (Self.held | Self.waited) == 0 else { return to(.look) }
            next.word |= Self.held
            return to(.holds)
        case .look:
            let seen = state.word
            if seen & Self.held == 0 { return to(.take(seen: seen)) }
            let looksOn = state.threads[index].isTired ? [] : to(.look)
            next.threads[index].isTired = true
            return looksOn + to(.mark(seen: seen))
        case .take(let seen):
            guard state.word == seen else { return to(.look) }
            next.word |= Self.held
            if state.threads[index].isTired, suspectsOthers { next.word |= Self.waited }
            return to(.holds)
        case .mark(let seen):
            guard seen & Self.waited == 0 else { return to(.park(expected: seen)) }
            guard state.word == seen else { return to(.look) }
            next.word |= Self.waited
            return to(.park(expected: next.word))
        case .park(let expected): return to(state.word == expected ? .asleep : .look)
        case .holds:
            next.word &= ~Self.held
            return to(state.word & Self.waited == 0 ? .done : clearsFirst ? .clear : .wake)
        case .clear:
            next.word &= ~Self.waited
            return to(clearsFirst ? .wake : .done)
        case .wake: return waking(state, index)
        case .asleep, .done: return []
        }
    }

    /// The kernel wakes any one of the sleepers.
    private func waking(_ state: State, _ index: Int) -> [State] {
        var next = state
        next.threads[index].step = clearsFirst ? .done : .clear
        let sleepers = state.threads.indices.filter { state.threads[$0].step == .asleep }
        guard !sleepers.isEmpty else { return [next] }
        return sleepers.map { sleeper in
            var woken = next
            woken.threads[sleeper].step = .look
            return woken
        }
    }
}
