import Synchronization
import Testing

@testable import AnnexBroker

@Suite struct InstanceSlotsTests {
    private final class Granted: Sendable {
        private let names = Mutex<[String]>([])
        var list: [String] { names.withLock { $0 } }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    @Test func `START-06: the caller that waits longest gets the next free slot`() {
        let slots = InstanceSlots()
        let granted = Granted()
        func ask(_ name: String, _ policy: String = "a") -> InstanceSlots.Slot {
            let (ticket, isGranted) = slots.ask(policy, most: 2) { granted.add(name) }
            if isGranted { granted.add(name) }
            return ticket
        }
        let first = ask("first")
        let second = ask("second")
        let third = ask("third")
        let fourth = ask("fourth")
        let other = ask("other", "b")
        #expect(granted.list == ["first", "second", "other"])
        slots.giveBack(third)
        slots.giveBack(first)
        #expect(granted.list == ["first", "second", "other", "fourth"])
        // A slot that is given back twice counts as one free slot.
        slots.giveBack(first)
        let fifth = ask("fifth")
        #expect(granted.list.last == "fourth")
        slots.giveBack(second)
        #expect(granted.list.last == "fifth")
        for ticket in [fourth, fifth, other] { slots.giveBack(ticket) }
        _ = ask("last")
        #expect(granted.list.last == "last")
    }

    @Test func `L1: a lent slot goes to a caller that finds none unless it is claimed first`() {
        let slots = InstanceSlots()
        let asked = Granted()
        func ask() -> InstanceSlots.Slot { slots.ask("a", most: 2) { asked.add("granted") }.ticket }
        let first = ask()
        let second = ask()
        slots.lend(first) { asked.add("first") }
        slots.lend(second) { asked.add("second") }
        #expect(slots.claim(second))
        #expect(!slots.claim(second))
        let third = ask()
        #expect(asked.list == ["first"])
        #expect(!slots.claim(first))
        slots.giveBack(first)
        #expect(asked.list == ["first", "granted"])
        // If a slot is lent while a caller waits, the table asks the holder for this slot at once. The table cannot
        // ask for a slot that was already given back.
        let fourth = ask()
        slots.lend(second) { asked.add("second") }
        #expect(asked.list.last == "second")
        slots.giveBack(second)
        slots.lend(second) { asked.add("too late") }
        slots.lend(third) { asked.add("third") }
        slots.giveBack(third)
        slots.giveBack(fourth)
        _ = (ask(), ask(), ask())
        #expect(asked.list == ["first", "granted", "second", "granted"])
    }

    @Test func `L1: a launch ahead of need takes no slot that is lent or waited for`() throws {
        let slots = InstanceSlots()
        let told = Granted()
        func ask(most: Int = 2) -> InstanceSlots.Slot { slots.ask("a", most: most) { told.add("granted") }.ticket }
        let first = try #require(slots.acquireFree("a", most: 2))
        let second = try #require(slots.acquireFree("a", most: 2))
        slots.lend(first) { told.add("first") }
        #expect(slots.acquireFree("a", most: 2) == nil && slots.acquireFree("b", most: 0) != nil)
        #expect(told.list.isEmpty)
        // One caller waits for a slot under its limit of 2. Under the higher limit of 3, a slot would be free. No
        // other caller takes this slot while the first caller waits.
        let third = ask()
        #expect(told.list == ["first"])
        #expect(slots.acquireFree("a", most: 3) == nil)
        slots.giveBack(first)
        #expect(told.list == ["first", "granted"] && slots.acquireFree("a", most: 2) == nil)
        slots.giveBack(second)
        #expect(slots.acquireFree("a", most: 2) != nil)
        slots.giveBack(third)
        _ = ask()
        #expect(told.list == ["first", "granted"])
    }

    /// Adds an entry to a list when an object of this type is freed.
    private final class Counted: Sendable {
        private let count: Granted
        init(_ count: Granted) { self.count = count }
        deinit { count.add("gone") }
    }

    @Test func `L1: a slot that is lent repeatedly is lent once`() {
        let slots = InstanceSlots()
        let gone = Granted()
        let asked = Granted()
        let first = slots.ask("a", most: 1) {}.ticket
        let notices = 100_000
        for _ in 0..<notices {
            let counted = Counted(gone)
            slots.lend(first) { withExtendedLifetime(counted) { asked.add("first") } }
        }
        #expect(gone.list.count == notices - 1, "what each notice brought is kept once")
        // One claim ends all of these loans. So no other caller gets the slot.
        #expect(slots.claim(first))
        let second = slots.ask("a", most: 1) { asked.add("second") }.ticket
        #expect(asked.list.isEmpty)
        slots.giveBack(first)
        #expect(asked.list == ["second"])
        slots.giveBack(second)
    }

    @Test func `L1: the holder of a lent slot is asked once even if it lends again`() {
        let slots = InstanceSlots()
        let asked = Granted()
        let first = slots.ask("a", most: 1) {}.ticket
        slots.lend(first) { asked.add("first") }
        let second = slots.ask("a", most: 1) { asked.add("second") }.ticket
        slots.lend(first) { asked.add("again") }
        #expect(!slots.claim(first))
        let third = slots.ask("a", most: 1) { asked.add("third") }.ticket
        #expect(asked.list == ["first"])
        slots.giveBack(first)
        #expect(asked.list == ["first", "second"])
        for ticket in [second, third] { slots.giveBack(ticket) }
    }
}
