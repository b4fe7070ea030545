/// Timers ordered by their deadlines on the monotonic clock. `places` stores the position of each timer in the binary
/// heap. A cancelled timer is therefore removed at once and does not wake the thread later.
package struct TimerQueue: Sendable {
    private struct Entry: Sendable {
        let deadline: UInt64
        let token: UInt64
    }

    private var heap: [Entry] = []
    private var places: [UInt64: Int] = [:]

    package var earliest: UInt64? { heap.first?.deadline }
    var count: Int { heap.count }

    package init() {}

    package mutating func insert(_ token: UInt64, deadline: UInt64) {
        heap.append(Entry(deadline: deadline, token: token))
        places[token] = heap.count - 1
        rise(heap.count - 1)
    }

    /// Removes a timer. Returns whether it was still in the queue.
    package mutating func remove(_ token: UInt64) -> Bool {
        guard let place = places.removeValue(forKey: token) else { return false }
        let last = heap.removeLast()
        guard place < heap.count else { return true }
        heap[place] = last
        places[last.token] = place
        rise(place)
        sink(place)
        return true
    }

    /// Takes the earliest timer out of the queue if it is due by `now`. Returns nil if no timer is due.
    package mutating func takeDue(by now: UInt64) -> UInt64? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        _ = remove(first.token)
        return first.token
    }

    private mutating func rise(_ start: Int) {
        var place = start
        while place > 0, heap[place].deadline < heap[(place - 1) / 2].deadline {
            exchange(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func sink(_ start: Int) {
        var place = start
        while let child = smallerChild(of: place), heap[child].deadline < heap[place].deadline {
            exchange(place, child)
            place = child
        }
    }

    private func smallerChild(of place: Int) -> Int? {
        let left = 2 * place + 1
        guard left < heap.count else { return nil }
        let right = left + 1
        return right < heap.count && heap[right].deadline < heap[left].deadline ? right : left
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        places[heap[one].token] = one
        places[heap[other].token] = other
    }
}
