internal import Synchronization

/// The places of extensions that run at once: so many for each policy. Who finds none waits for his turn; before that
/// those are asked to go that nobody needs yet.
final class InstanceSlots: Sendable {
    /// A place, or the wish for one.
    struct Slot: Sendable {
        fileprivate let policy: String
        fileprivate let number: UInt64
    }

    private struct Waiter {
        let number: UInt64
        let granted: @Sendable () -> Void
    }

    /// What the holder of a place has said of it. One word for each place, however often it is said.
    private enum Hold {
        case kept
        /// Its holder can do without it, since the moment of this number.
        case lent(since: UInt64, giveUp: @Sendable () -> Void)
        /// Its holder was asked to give it up, and will.
        case leaving
    }

    private struct Room {
        var taken: [UInt64: Hold] = [:]
        var waiting: [Waiter] = []

        /// Takes the longest lent place for somebody who waits.
        /// - Returns: what asks its holder for it; nil where none is lent.
        mutating func takeLent() -> (@Sendable () -> Void)? {
            var longest: (number: UInt64, since: UInt64, giveUp: @Sendable () -> Void)?
            for case (let number, .lent(let since, let giveUp)) in taken where since < longest?.since ?? .max {
                longest = (number, since, giveUp)
            }
            if let longest { taken[longest.number] = .leaving }
            return longest?.giveUp
        }
    }

    private struct State {
        var rooms: [String: Room] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Asks for one of `most` places.
    /// - Parameter granted: told at most once, on any thread, where there was none at once. Must not go on from there:
    ///   whoever waits next may be told by what it does.
    /// - Returns: whether there was one at once.
    func ask(
        _ policy: String, most: Int, granted: @escaping @Sendable () -> Void
    ) -> (ticket: Slot, isGranted: Bool) {
        let (ticket, isGranted, giveUp) = state.withLock { state in
            state.last += 1
            let number = state.last
            var room = state.rooms.removeValue(forKey: policy) ?? Room()
            defer { state.rooms[policy] = room }
            let ticket = Slot(policy: policy, number: number)
            guard room.taken.count >= max(1, most) else {
                room.taken[number] = .kept
                return (ticket, true, nil as (@Sendable () -> Void)?)
            }
            room.waiting.append(Waiter(number: number, granted: granted))
            return (ticket, false, room.takeLent())
        }
        giveUp?()
        return (ticket, isGranted)
    }

    /// One of `most` places for somebody who can do without: none that is lent, and not where anybody waits.
    func takeFree(_ policy: String, most: Int) -> Slot? {
        state.withLock { state in
            let room = state.rooms[policy] ?? Room()
            guard room.taken.count < max(1, most), room.waiting.isEmpty else { return nil }
            state.last += 1
            state.rooms[policy, default: Room()].taken[state.last] = .kept
            return Slot(policy: policy, number: state.last)
        }
    }

    /// Gives a place back, to whoever waits longest for one, or stops waiting. Once is enough, twice is harmless.
    func giveBack(_ ticket: Slot) {
        let next: Waiter? = state.withLock { state in
            guard var room = state.rooms.removeValue(forKey: ticket.policy) else { return nil }
            defer { if !room.taken.isEmpty || !room.waiting.isEmpty { state.rooms[ticket.policy] = room } }
            guard room.taken.removeValue(forKey: ticket.number) != nil else {
                room.waiting.removeAll { $0.number == ticket.number }
                return nil
            }
            guard !room.waiting.isEmpty else { return nil }
            let next = room.waiting.removeFirst()
            room.taken[next.number] = .kept
            return next
        }
        next?.granted()
    }

    /// Keeps a place only until somebody waits for one. Twice changes nothing.
    /// - Parameter giveUp: told at most once, on any thread: the place is to be given back soon. Must not give it back
    ///   from there.
    func lend(_ ticket: Slot, giveUp: @escaping @Sendable () -> Void) {
        let isWanted = state.withLock { state in
            guard var room = state.rooms[ticket.policy], case .kept? = room.taken[ticket.number] else { return false }
            let isWanted = !room.waiting.isEmpty
            if !isWanted { state.last += 1 }
            room.taken[ticket.number] = isWanted ? .leaving : .lent(since: state.last, giveUp: giveUp)
            state.rooms[ticket.policy] = room
            return isWanted
        }
        if isWanted { giveUp() }
    }

    /// Keeps a lent place for good.
    /// - Returns: false where it was asked for meanwhile, or was not lent.
    func claim(_ ticket: Slot) -> Bool {
        state.withLock { state in
            guard case .lent? = state.rooms[ticket.policy]?.taken[ticket.number] else { return false }
            state.rooms[ticket.policy]?.taken[ticket.number] = .kept
            return true
        }
    }
}
