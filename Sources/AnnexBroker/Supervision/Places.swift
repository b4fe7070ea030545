internal import Synchronization

/// The places of extensions that run at once: so many for each policy. Who finds none waits for his turn; before that
/// those are asked to go that nobody needs yet.
final class Places: Sendable {
    /// A place, or the wish for one.
    struct Ticket: Sendable {
        fileprivate let policy: String
        fileprivate let number: UInt64
    }

    private struct Waiter {
        let number: UInt64
        let granted: @Sendable () -> Void
    }

    /// A place whose holder can do without it.
    private struct Lent {
        let number: UInt64
        let giveUp: @Sendable () -> Void
    }

    private struct Room {
        var taken: Set<UInt64> = []
        var waiting: [Waiter] = []
        /// Longest first.
        var lent: [Lent] = []
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
    ) -> (ticket: Ticket, isGranted: Bool) {
        let (ticket, isGranted, lent) = state.withLock { state in
            state.last += 1
            let number = state.last
            var room = state.rooms.removeValue(forKey: policy) ?? Room()
            defer { state.rooms[policy] = room }
            let ticket = Ticket(policy: policy, number: number)
            guard room.taken.count >= max(1, most) else {
                room.taken.insert(number)
                return (ticket, true, nil as Lent?)
            }
            room.waiting.append(Waiter(number: number, granted: granted))
            return (ticket, false, room.lent.isEmpty ? nil : room.lent.removeFirst())
        }
        lent?.giveUp()
        return (ticket, isGranted)
    }

    /// One of `most` places for somebody who can do without: none that is lent, and not where anybody waits.
    func takeFree(_ policy: String, most: Int) -> Ticket? {
        state.withLock { state in
            let room = state.rooms[policy] ?? Room()
            guard room.taken.count < max(1, most), room.waiting.isEmpty else { return nil }
            state.last += 1
            state.rooms[policy, default: Room()].taken.insert(state.last)
            return Ticket(policy: policy, number: state.last)
        }
    }

    /// Gives a place back, to whoever waits longest for one, or stops waiting. Once is enough, twice is harmless.
    func giveBack(_ ticket: Ticket) {
        let next: Waiter? = state.withLock { state in
            guard var room = state.rooms.removeValue(forKey: ticket.policy) else { return nil }
            defer { if !room.taken.isEmpty || !room.waiting.isEmpty { state.rooms[ticket.policy] = room } }
            guard room.taken.remove(ticket.number) != nil else {
                room.waiting.removeAll { $0.number == ticket.number }
                return nil
            }
            room.lent.removeAll { $0.number == ticket.number }
            guard !room.waiting.isEmpty else { return nil }
            let next = room.waiting.removeFirst()
            room.taken.insert(next.number)
            return next
        }
        next?.granted()
    }

    /// Keeps a place only until somebody waits for one.
    /// - Parameter giveUp: told at most once, on any thread: the place is to be given back soon. Must not give it back
    ///   from there.
    func lend(_ ticket: Ticket, giveUp: @escaping @Sendable () -> Void) {
        let isWanted = state.withLock { state in
            guard state.rooms[ticket.policy]?.taken.contains(ticket.number) == true else { return false }
            let isWanted = state.rooms[ticket.policy]?.waiting.isEmpty == false
            if !isWanted { state.rooms[ticket.policy]?.lent.append(Lent(number: ticket.number, giveUp: giveUp)) }
            return isWanted
        }
        if isWanted { giveUp() }
    }

    /// Keeps a lent place for good.
    /// - Returns: false where it was asked for meanwhile.
    func claim(_ ticket: Ticket) -> Bool {
        state.withLock { state in
            guard let index = state.rooms[ticket.policy]?.lent.firstIndex(where: { $0.number == ticket.number })
            else { return false }
            state.rooms[ticket.policy]?.lent.remove(at: index)
            return true
        }
    }
}
