internal import Synchronization

/// The places of extensions that run at once: so many for each policy. Who finds none waits for his turn.
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

    private struct Room {
        var taken: Set<UInt64> = []
        var waiting: [Waiter] = []
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
        state.withLock { state in
            state.last += 1
            let number = state.last
            var room = state.rooms.removeValue(forKey: policy) ?? Room()
            let hasPlace = room.taken.count < max(1, most)
            if hasPlace {
                room.taken.insert(number)
            } else {
                room.waiting.append(Waiter(number: number, granted: granted))
            }
            state.rooms[policy] = room
            return (Ticket(policy: policy, number: number), hasPlace)
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
            guard !room.waiting.isEmpty else { return nil }
            let next = room.waiting.removeFirst()
            room.taken.insert(next.number)
            return next
        }
        next?.granted()
    }
}
