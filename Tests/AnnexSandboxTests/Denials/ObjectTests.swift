import AnnexPolicy
import AnnexTestSupport
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

    @Test func `a key is charged once, and each removal like one more object`() throws {
        let budget = try Box(megabytes: 3)
        let request = try #require(Self.segment(Self.megabyte, key: 7))
        for _ in 0..<100 { #expect(budget.admits(request)) }
        #expect(budget.admits(.remove(.segment)) && budget.admits(request))
        #expect(budget.admits(.remove(.segment)) && budget.admits(request))
        #expect(!budget.admits(.remove(.segment)) && budget.admits(request))
        // Objects of other kinds are removed for nothing while no key of their kind was charged.
        #expect(budget.admits(.remove(.queue)))
    }

    @Test func `a larger object under a known key is charged with the difference, and so is each removal`() throws {
        let budget = try Box(megabytes: 4)
        #expect(budget.admits(try #require(Self.segment(Self.megabyte, key: 7))))
        #expect(budget.admits(.remove(.segment)))
        #expect(budget.admits(try #require(Self.segment(2 * Self.megabyte, key: 7))))
        #expect(!budget.admits(try #require(Self.segment(1, key: 8))))
        #expect(budget.admits(try #require(Self.segment(2 * Self.megabyte, key: 7))))
    }

    /// A hostile program chooses when the kernel performs the calls that the broker has admitted. The kernel's objects
    /// are modelled: a key has one object at a time, and a removed object stays while it is attached.
    @Test(arguments: 0..<200)
    func `in no order of admitted calls do the objects exceed the limit`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let budget = try Box(megabytes: 16)
        var pending: [ObjectBudget.Request] = []
        var named: [UInt32: UInt64] = [:]
        var alive: UInt64 = 0
        for _ in 0..<400 {
            if pending.isEmpty || random.next() % 2 == 0 {
                let size = Self.megabyte * (1 + random.next() % 3)
                let request: ObjectBudget.Request =
                    random.next() % 3 == 0
                    ? .remove(.segment) : .make(.segment, key: UInt32(random.next() % 4), bytes: size)
                if budget.admits(request) { pending.append(request) }
            } else {
                switch pending.remove(at: Int(random.next() % UInt64(pending.count))) {
                case .remove: if let key = named.keys.randomElement(using: &random) { named[key] = nil }
                case .make(_, key: 0, let bytes): alive += bytes
                case .make(_, let key, let bytes):
                    if named[key] == nil { (named[key], alive) = (bytes, alive + bytes) }
                }
            }
            #expect(alive <= 16 * Self.megabyte)
        }
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
        #expect(Self.segment(bytes) == .make(.segment, key: 0, bytes: charged))
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
        for (name, arguments, kind) in [
            ("shmctl", [1, 0], .segment), ("msgctl", [1, 0x100], .queue), ("semctl", [1, 5, 0], .semaphores),
        ] as [(String, [UInt64], ObjectBudget.Kind)] {
            let registers = arguments + [UInt64](repeating: 0, count: 6 - arguments.count)
            let request = ObjectBudget.Request(name, arguments: registers, processes: 1)
            #expect(request == .remove(kind), "\(name)")
        }
    }

    @Test func `a set of semaphores is charged with what the kernel keeps for each process`() {
        let set = ObjectBudget.Request("semget", arguments: [0, 1, 0o1600, 0, 0, 0], processes: 512)
        #expect(set == .make(.semaphores, key: 0, bytes: 4_096 + 64 + 512 * 98))
    }
}
