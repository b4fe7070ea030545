import AnnexPolicy
import Testing

@testable import AnnexLaunch

/// The memory that a sandbox may request for objects of System V, if no control group counts it.
@Suite(.timeLimit(.minutes(20))) struct ObjectTests {
    private static let megabyte: UInt64 = 1 << 20

    /// A budget in a box, because `#expect` calls no mutating function.
    private final class Box {
        private var budget: ObjectBudget

        init(megabytes: UInt64) throws {
            var limits = try Policy.shipped(named: "tool").limits
            limits.memory = megabytes * ObjectTests.megabyte
            budget = ObjectBudget(limits)
        }

        func admits(_ request: ObjectBudget.Request) -> Bool { budget.admits(request) }
    }

    private static func segment(_ bytes: UInt64, key: UInt64 = 0, flags: UInt64 = 0o1600) -> ObjectBudget.Request? {
        ObjectBudget.Request("shmget", arguments: [key, bytes, flags, 0, 0, 0], processes: 1)
    }

    @Test func `segments without a key are charged each time`() throws {
        let budget = try Box(megabytes: 3)
        let request = try #require(Self.segment(Self.megabyte))
        #expect((0..<4).map { _ in budget.admits(request) } == [true, true, true, false])
    }

    @Test func `an object with a key is charged once, until an object was removed`() throws {
        let budget = try Box(megabytes: 3)
        let request = try #require(Self.segment(Self.megabyte, key: 7))
        for _ in 0..<100 { #expect(budget.admits(request)) }
        #expect(budget.admits(.remove) && budget.admits(request))
        #expect(budget.admits(.remove) && budget.admits(request))
        #expect(budget.admits(.remove) && !budget.admits(request))
    }

    @Test func `a larger object under a known key is charged whole`() throws {
        let budget = try Box(megabytes: 3)
        #expect(budget.admits(try #require(Self.segment(Self.megabyte, key: 7))))
        #expect(budget.admits(try #require(Self.segment(2 * Self.megabyte, key: 7))))
        #expect(!budget.admits(try #require(Self.segment(1, key: 8))))
        #expect(budget.admits(try #require(Self.segment(2 * Self.megabyte, key: 7))))
    }

    @Test func `the same key of another kind is another object`() throws {
        let budget = try Box(megabytes: 2)
        let queue = try #require(ObjectBudget.Request("msgget", arguments: [7, 0o1600, 0, 0, 0, 0], processes: 1))
        let set = try #require(ObjectBudget.Request("semget", arguments: [7, 32_000, 0o1600, 0, 0, 0], processes: 1))
        #expect(budget.admits(queue) && !budget.admits(set) && budget.admits(queue))
    }

    @Test(
        arguments: [
            (1, 4096), (4096, 4096), (4097, 8192), (UInt64.max, UInt64.max / 4096 * 4096), (0, 4096),
        ] as [(UInt64, UInt64)])
    func `a segment is charged in whole pages, and no size overflows`(bytes: UInt64, charged: UInt64) {
        #expect(Self.segment(bytes) == .make(ObjectBudget.Key(call: "shmget", key: 0), bytes: charged))
    }

    @Test func `the registers decide in 32 bits, as in the kernel`() throws {
        // A key is an int. So the upper half of its register does not make another key.
        #expect(Self.segment(1, key: 1 << 32) == Self.segment(1, key: 0))
        let set = ObjectBudget.Request("semget", arguments: [0, 1 << 32 | 2, 0o1600, 0, 0, 0], processes: 1)
        #expect(set == ObjectBudget.Request("semget", arguments: [0, 2, 0o1600, 0, 0, 0], processes: 1))
        let endless = ObjectBudget.Request("semget", arguments: [0, .max, 0o1600, 0, 0, 0], processes: .max)
        let budget = try Box(megabytes: 1 << 20)
        #expect(!budget.admits(try #require(endless)))
    }

    @Test func `calls that only use objects are free`() {
        #expect(Self.segment(1, key: 7, flags: 0o600) == nil)
        for (name, arguments) in [
            ("shmctl", [1, 2]), ("msgctl", [1, 1]), ("semctl", [1, 0, 2]), ("semctl", [1, 2, 16]), ("shmat", [1, 0]),
        ] as [(String, [UInt64])] {
            let registers = arguments + [UInt64](repeating: 0, count: 6 - arguments.count)
            #expect(ObjectBudget.Request(name, arguments: registers, processes: 1) == nil, "\(name)")
        }
        for (name, arguments) in [
            ("shmctl", [1, 0]), ("msgctl", [1, 0x100]), ("semctl", [1, 5, 0]),
        ] as [(String, [UInt64])] {
            let registers = arguments + [UInt64](repeating: 0, count: 6 - arguments.count)
            #expect(ObjectBudget.Request(name, arguments: registers, processes: 1) == .remove, "\(name)")
        }
    }
}
