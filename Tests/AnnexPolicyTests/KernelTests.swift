import CTestSupport
import Glibc
import Testing

@testable import AnnexPolicy

/// The running kernel must give the answers of the policy.
@Suite(.serialized, .timeLimit(.minutes(20))) struct KernelTests {
    /// The number that replaces a launch's own number in the rules, so that the launch's call is tested too.
    static let nonce = LaunchCalls.sentinel

    /// Since 6.14, the kernel applies no filter to these two calls of x86-64. Only the kernel's own trampolines may
    /// make them, and every other caller gets SIGILL.
    static let unseen = ["uretprobe", "uprobe"].compactMap { SystemCall(named: $0)?.number }

    /// Makes calls under a filter. The result is each probe with its answer, and the signal that ended the child.
    static func probe(
        _ policy: Policy, _ calls: [(Int32, [UInt64])], above floor: filter_floor = FILTER_NO_FLOOR
    ) throws -> (probes: [filter_probe], signal: Int32) {
        let bytes = try policy.filter().instructions(nonce: nonce)
        var probes = calls.map { number, a in
            filter_probe(number: Int64(number), arguments: (a[0], a[1], a[2], a[3], a[4], a[5]), answer: 0)
        }
        let signal = filter_probe_calls(bytes, bytes.count / 8, floor, &probes, probes.count)
        try #require(signal >= 0, "the filter could not be installed: errno \(-signal)")
        return (probes, signal)
    }

    /// Every number at the edges of each compared argument, with the policy's answer. No call is really executed,
    /// because another filter below each filter lets no call pass.
    private static func everything(_ policy: Policy) throws -> [(call: (Int32, [UInt64]), expected: FilterAnswer)] {
        let judge = FilterChecker(policy: policy, filter: try policy.filter())
        return (0..<1024 as Range<Int32>).filter { !unseen.contains($0) }.flatMap { number in
            judge.edges(of: number).map { arguments in
                let call = FilterEvaluator.Call(
                    number: number, architecture: policy.architecture.audit, arguments: arguments)
                return ((number, arguments), judge.expected(call))
            }
        }
    }

    @Test(arguments: PolicyLibrary.shipped.names)
    func `SEC-13: the kernel answers every call as the policy says`(name: String) throws {
        let policy = try Policy.shipped(named: name)
        let everything = try Self.everything(policy)
        #expect(everything.count > 2000)
        // The floor is the filter below the tested filter. If the floor answers with an errno, a quietly denied call
        // shows its own errno, and all other calls show the floor's errno. If the floor asks for a tracer that is
        // missing, a reported call goes to the listener, and an allowed call gives ENOSYS.
        for floor in [FILTER_FLOOR_ERRNO, FILTER_FLOOR_TRACE] {
            let result = try Self.probe(policy, everything.map(\.call), above: floor)
            #expect(result.signal == 0)
            let wrong = zip(result.probes, everything).first { probe, item in
                probe.answer != Self.shown(item.expected, above: floor)
            }
            #expect(wrong == nil, "\(name): \(String(describing: wrong))")
        }
    }

    /// The result that a caller sees if the filter gives this answer above a floor.
    private static func shown(_ answer: FilterAnswer, above floor: filter_floor) -> Int64 {
        switch answer {
        case .errno(let number): Int64(number)
        case .notify where floor == FILTER_FLOOR_TRACE: Int64(FILTER_NOTIFIED)
        case .allow where floor == FILTER_FLOOR_TRACE: Int64(ENOSYS)
        case .allow, .notify: Int64(FILTER_FLOOR_ANSWER)
        case .killProcess, .other: .min
        }
    }

    @Test(arguments: WriteXorExecuteTests.broken.map(\.0), [true, false])
    func `PROC-05: the kernel denies memory that is both writable and executable`(name: String, isOn: Bool) throws {
        let policy = try WriteXorExecuteTests.policy(WriteXorExecuteTests.everything, isOn ? "on" : "off")
        let number = try #require(SystemCall(named: name)).number
        // The arguments are lengths of 0 and names that do not exist, so calls that pass the filter do nothing.
        let broken = WriteXorExecuteTests.broken.filter { $0.0 == name }.map { Self.harmless(name, $0.1) }
        let kept = WriteXorExecuteTests.kept.filter { $0.0 == name }.map { Self.harmless(name, $0.1) }
        let result = try Self.probe(policy, (broken + kept).map { (number, $0) })
        for (index, probe) in result.probes.enumerated() {
            let isDenied = probe.answer == Int64(FILTER_NOTIFIED)
            #expect(isDenied == (isOn && index < broken.count), "\(name) \(probe.arguments): \(probe.answer)")
        }
    }

    private static func harmless(_ name: String, _ arguments: [UInt64]) -> [UInt64] {
        var arguments = arguments + [UInt64](repeating: 0, count: 6 - arguments.count)
        if name == "mprotect" || name == "pkey_mprotect" { arguments[1] = 0 }
        if name == "shmat" { arguments[0] = .max }
        return arguments
    }

    @Test func `the kernel gives memory that is writable or executable but not both`() throws {
        let policy = try WriteXorExecuteTests.policy()
        let mmap = try #require(SystemCall(named: "mmap")).number
        let calls: [(Int32, [UInt64])] = [
            (mmap, [0, 4096, 3, 0x22, UInt64.max, 0]), (mmap, [0, 4096, 7, 0x22, UInt64.max, 0]),
            (mmap, [0, 4096, 5, 0x22, UInt64.max, 0]),
        ]
        let result = try Self.probe(policy, calls)
        #expect(result.probes.map(\.answer) == [0, Int64(FILTER_NOTIFIED), 0])
    }

    /// If a child of another test held a test's socket or program open, that file would not really be closed.
    @Test func `a child that probes the kernel holds no other descriptor of the process`() throws {
        let held = fcntl(1, F_DUPFD_CLOEXEC, 300)
        defer { close(held) }
        try #require(held >= 300)
        let fcntl = try #require(SystemCall(named: "fcntl")).number
        let result = try Self.probe(
            .shipped(named: "compute"), [1, UInt64(held)].map { (fcntl, [$0, UInt64(F_GETFD), 0, 0, 0, 0]) })
        #expect(result.probes.map(\.answer) == [0, Int64(EBADF)])
    }

    @Test func `allowed calls are executed`() throws {
        let policy = try Policy.shipped(named: "compute")
        let calls = try ["getpid", "gettid", "sched_yield", "brk"].map { name in
            (try #require(SystemCall(named: name)).number, [UInt64](repeating: 0, count: 6))
        }
        #expect(try Self.probe(policy, calls).probes.allSatisfy { $0.answer == 0 })
    }

    #if arch(x86_64)
        @Test func `SEC-02: an i386 call kills the process`() throws {
            for name in PolicyLibrary.shipped.names {
                let bytes = try Policy.shipped(named: name).filter().instructions(nonce: Self.nonce)
                let status = filter_probe_foreign(bytes, bytes.count / 8)
                // The signal is SIGSYS, or SIGSEGV if the kernel does not support i386.
                #expect([31, 11].contains(status & 0x7F), "\(name): \(status)")
            }
        }

        @Test(arguments: PolicyLibrary.shipped.names)
        func `SEC-01: x32 calls kill under every policy`(name: String) throws {
            let policy = try Policy.shipped(named: name)
            let zeros = [UInt64](repeating: 0, count: 6)
            for number in [0, 1, 39, 59, 101, 231, 512, 520, 547, 1023] as [Int32] {
                let result = try Self.probe(policy, [(number | 0x4000_0000, zeros)], above: FILTER_FLOOR_ERRNO)
                #expect(result.signal == 31, "\(number)")
            }
        }

        @Test func `SEC-01: an x32 call between others kills the process`() throws {
            let policy = try Policy.shipped(named: "compute")
            let zeros = [UInt64](repeating: 0, count: 6)
            let result = try Self.probe(policy, [(39, zeros), (39 | 0x4000_0000, zeros), (39, zeros)])
            #expect(result.signal == 31)
            #expect(result.probes.map(\.answer) == [0, Int64(FILTER_NOT_REACHED), Int64(FILTER_NOT_REACHED)])
        }
    #endif
}
