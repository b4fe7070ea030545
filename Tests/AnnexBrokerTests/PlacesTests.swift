import Synchronization
import Testing

@testable import AnnexBroker

@Suite struct PlacesTests {
    private final class Granted: Sendable {
        private let names = Mutex<[String]>([])
        var list: [String] { names.withLock { $0 } }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    @Test func `START-06: who waits longest gets the next place, and who stops waiting gets none`() {
        let places = Places()
        let granted = Granted()
        func ask(_ name: String, _ policy: String = "a") -> Places.Ticket {
            let (ticket, isGranted) = places.ask(policy, most: 2) { granted.add(name) }
            if isGranted { granted.add(name) }
            return ticket
        }
        let first = ask("first")
        let second = ask("second")
        let third = ask("third")
        let fourth = ask("fourth")
        let other = ask("other", "b")
        #expect(granted.list == ["first", "second", "other"])
        places.giveBack(third)
        places.giveBack(first)
        #expect(granted.list == ["first", "second", "other", "fourth"])
        // Twice gives nothing twice.
        places.giveBack(first)
        let fifth = ask("fifth")
        #expect(granted.list.last == "fourth")
        places.giveBack(second)
        #expect(granted.list.last == "fifth")
        for ticket in [fourth, fifth, other] { places.giveBack(ticket) }
        _ = ask("last")
        #expect(granted.list.last == "last")
    }
}
