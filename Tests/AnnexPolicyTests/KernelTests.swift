import CFilterFixture
import Testing

@testable import AnnexPolicy

/// The running kernel says what the policy says.
@Suite(.serialized, .timeLimit(.minutes(2))) struct KernelTests {
    static let nonce: UInt64 = 0x0123_4567_89AB_CDEF

    /// Since 6.14 the kernel asks no filter about these two of x86-64: only its own trampolines may make them, and
    /// whoever else does gets SIGILL.
    static let unseen = ["uretprobe", "uprobe"].compactMap { SystemCall(named: $0)?.number }

    /// Makes calls under a filter: each probe with its answer, and the signal that ended the child.
    static func probe(_ policy: Policy, _ calls: [(Int32, [UInt64])]) throws -> (probes: [filter_probe], signal: Int32)
    {
        let bytes = try policy.filter().instructions(nonce: nonce)
        var probes = calls.map { number, a in
            filter_probe(number: Int64(number), arguments: (a[0], a[1], a[2], a[3], a[4], a[5]), answer: 0)
        }
        let signal = filter_probe_calls(bytes, bytes.count / 8, &probes, probes.count)
        try #require(signal >= 0, "the filter could not be installed: errno \(-signal)")
        return (probes, signal)
    }

    @Test(arguments: PolicyLibrary.shipped.names)
    func everyRefusalIsTheKernelsToo(name: String) throws {
        let policy = try Policy.shipped(named: name)
        let judge = FilterJudge(policy: policy, filter: try policy.filter())
        var calls: [(Int32, [UInt64])] = []
        var expected: [FilterAnswer] = []
        for number in 0..<1024 as Range<Int32> where !Self.unseen.contains(number) {
            for arguments in judge.edges(of: number) {
                let call = FilterEvaluator.Call(
                    number: number, architecture: policy.architecture.audit, arguments: arguments)
                let answer = judge.expected(call)
                if answer == .allow { continue }
                calls.append((number, arguments))
                expected.append(answer)
            }
        }
        let result = try Self.probe(policy, calls)
        #expect(result.signal == 0)
        #expect(calls.count > 2000)
        let wrong = zip(result.probes, expected).first { probe, answer in
            let wanted: Int64 = if case .errno(let number) = answer { Int64(number) } else { Int64(FILTER_NOTIFIED) }
            return probe.answer != wanted
        }
        #expect(wrong == nil)
    }

    @Test func allowedCallsAreMade() throws {
        let policy = try Policy.shipped(named: "compute")
        let calls = try ["getpid", "gettid", "sched_yield", "brk"].map { name in
            (try #require(SystemCall(named: name)).number, [UInt64](repeating: 0, count: 6))
        }
        #expect(try Self.probe(policy, calls).probes.allSatisfy { $0.answer == 0 })
    }

    #if arch(x86_64)
        @Test func x32CallsKill() throws {
            let policy = try Policy.shipped(named: "compute")
            let zeros = [UInt64](repeating: 0, count: 6)
            let result = try Self.probe(policy, [(39, zeros), (39 | 0x4000_0000, zeros), (39, zeros)])
            #expect(result.signal == 31)
            #expect(result.probes.map(\.answer) == [0, Int64(FILTER_NOT_REACHED), Int64(FILTER_NOT_REACHED)])
        }
    #endif
}
