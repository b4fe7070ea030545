internal import Synchronization

/// The instance slots of each extension point. A launch that finds no free slot waits in line. When a launch begins to
/// wait, one parked extension, if there is any, is asked to give up its slot.
final class InstanceSlots: Sendable {
    /// A slot, or the wait for a slot.
    struct Slot: Sendable {
        fileprivate let point: String
        fileprivate let number: UInt64
    }

    private struct Waiter {
        let number: UInt64
        let granted: @Sendable () -> Void
    }

    /// The state of a taken slot. If the holder repeats a change of state, the repetition has no effect.
    private enum Hold {
        case kept
        /// The slot of a parked extension. A waiting launch may take this slot away. `since` orders the slots by the
        /// time of the lending.
        case lent(since: UInt64, giveUp: @Sendable () -> Void)
        /// The holder was asked to give the slot back, and will do so.
        case leaving
    }

    private struct Room {
        var taken: [UInt64: Hold] = [:]
        var waiting: [Waiter] = []

        /// Picks the slot that has been lent for the longest time, for a launch that waits.
        /// - Returns: a closure that asks the holder to give the slot back; nil if no slot is lent.
        mutating func recallLent() -> (@Sendable () -> Void)? {
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

    /// Asks for one of the `most` slots of an extension point.
    /// - Parameter granted: used only if no slot is free now. It is called at most once, on any thread, when the slot
    ///   is granted. It must not continue the launch itself: the launch could give a slot back, which calls the next
    ///   waiter's `granted` inside this call.
    /// - Returns: a ticket, which stands for the slot or for the wait, and whether the slot is already granted.
    func ask(
        _ point: String, most: Int, granted: @escaping @Sendable () -> Void
    ) -> (ticket: Slot, isGranted: Bool) {
        let (ticket, isGranted, giveUp) = state.withLock { state in
            state.last += 1
            let number = state.last
            var room = state.rooms.removeValue(forKey: point) ?? Room()
            defer { state.rooms[point] = room }
            let ticket = Slot(point: point, number: number)
            guard room.taken.count >= max(1, most) else {
                room.taken[number] = .kept
                return (ticket, true, nil as (@Sendable () -> Void)?)
            }
            room.waiting.append(Waiter(number: number, granted: granted))
            return (ticket, false, room.recallLent())
        }
        giveUp?()
        return (ticket, isGranted)
    }

    /// Takes a free slot for an extension that is launched before any request needs it. The result is nil if no slot is
    /// free or if launches wait for a slot. Lent slots are not taken.
    func acquireFree(_ point: String, most: Int) -> Slot? {
        state.withLock { state in
            let room = state.rooms[point] ?? Room()
            guard room.taken.count < max(1, most), room.waiting.isEmpty else { return nil }
            state.last += 1
            state.rooms[point, default: Room()].taken[state.last] = .kept
            return Slot(point: point, number: state.last)
        }
    }

    /// Gives back a slot, which then goes to the launch that has waited longest. If the ticket has no slot yet, its
    /// launch leaves the line. A second call has no effect.
    func giveBack(_ ticket: Slot) {
        let next: Waiter? = state.withLock { state in
            guard var room = state.rooms.removeValue(forKey: ticket.point) else { return nil }
            defer { if !room.taken.isEmpty || !room.waiting.isEmpty { state.rooms[ticket.point] = room } }
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

    /// Lends a slot. The holder keeps the slot until a launch waits for a slot. A second call has no effect.
    /// - Parameter giveUp: called at most once, on any thread, when the holder must give the slot back soon. The
    ///   closure must not call `giveBack` itself.
    func lend(_ ticket: Slot, giveUp: @escaping @Sendable () -> Void) {
        let isWanted = state.withLock { state in
            guard var room = state.rooms[ticket.point], case .kept? = room.taken[ticket.number] else { return false }
            let isWanted = !room.waiting.isEmpty
            if !isWanted { state.last += 1 }
            room.taken[ticket.number] = isWanted ? .leaving : .lent(since: state.last, giveUp: giveUp)
            state.rooms[ticket.point] = room
            return isWanted
        }
        if isWanted { giveUp() }
    }

    /// Ends the lending, so that the holder keeps the slot.
    /// - Returns: false if the slot was not lent, or its holder was already asked to give it back.
    func claim(_ ticket: Slot) -> Bool {
        state.withLock { state in
            guard case .lent? = state.rooms[ticket.point]?.taken[ticket.number] else { return false }
            state.rooms[ticket.point]?.taken[ticket.number] = .kept
            return true
        }
    }
}
