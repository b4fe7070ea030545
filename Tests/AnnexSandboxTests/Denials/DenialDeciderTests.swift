import AnnexPolicy
import Glibc
import Testing

@testable import AnnexLaunch

@Suite struct DenialDeciderTests {
    private static func decide(
        _ name: String, _ arguments: [UInt64], _ mode: DenialMode, hasReaper: Bool = false, foreign: Bool = false
    ) throws -> DenialDecider.Decision {
        let judge = DenialDecider(policy: try .shipped(named: "compute"), mode: mode, hasReaper: hasReaper)
        let number = try #require(SystemCall(named: name)).number
        let call = HeldCall(
            id: 1, thread: 0, architecture: foreign ? 0x4000_0003 : Architecture.current.audit, number: number,
            arguments: arguments + [UInt64](repeating: 0, count: 6 - arguments.count))
        return judge.decide(call, verdict: judge.policy.verdict(number: call.number, arguments: call.arguments))
    }

    @Test func `enforcing lets no denied call pass`() throws {
        #expect(try Self.decide("socket", [2, 1], .enforce) == .end)
        #expect(try Self.decide("flock", [], .enforce) == .deny(errno: EPERM))
        // A call that the policy allows should never reach the decider. If it does, filter and policy differ.
        #expect(try Self.decide("getpid", [], .enforce) == .deny(errno: EPERM))
        #expect(try Self.decide("tgkill", [1, 1, 6], .enforce) == .abort)
    }

    @Test func `explaining denies the same calls as enforcing`() throws {
        #expect(try Self.decide("socket", [2, 1], .explain) == .end)
        #expect(try Self.decide("flock", [], .explain) == .deny(errno: EPERM))
        #expect(try Self.decide("getpid", [], .explain) == .proceed)
        #expect(try Self.decide("tgkill", [1, 1, 6], .explain) == .abort)
    }

    /// The last argument of this call is a placeholder. Each launch puts its own number in place of the placeholder.
    /// So no filter has the placeholder, and no listener may accept it.
    @Test(arguments: DenialMode.allCases)
    func `FS-17: a call that imitates the exec of the launch is denied in every mode`(mode: DenialMode) throws {
        let likeness: [UInt64] = [3, 0x1000, 0, 0, 0x1000, 0xA5C3_5E1D_C7B2_49E6]
        #expect(try Self.decide("execveat", likeness, mode) == .deny(errno: EPERM))
        #expect(try Self.decide("read", [0, 0, 1], mode) == .deny(errno: EPERM))
    }

    @Test(arguments: DenialMode.allCases)
    func `SEC-02: calls of a foreign architecture never pass`(mode: DenialMode) throws {
        #expect(try Self.decide("getpid", [], mode, foreign: true) == .deny(errno: EPERM))
        #expect(try Self.decide("socket", [2, 1], mode, foreign: true) == .deny(errno: EPERM))
    }

    @Test(arguments: [DenialMode.permissive, .learn])
    func `modes that only report let calls pass`(mode: DenialMode) throws {
        #expect(try Self.decide("socket", [2, 1], mode) == .proceed)
        #expect(try Self.decide("flock", [], mode) == .proceed)
        // In other modes, the call is denied quietly.
        #expect(try Self.decide("clone3", [], mode) == .proceed)
        #expect(try Self.decide("tgkill", [1, 1, 6], mode) == .abort)
    }

    @Test func `a program with a reaper aborts itself`() throws {
        for mode in DenialMode.allCases {
            #expect(try Self.decide("tgkill", [1, 1, 6], mode, hasReaper: true) == .proceed)
        }
    }

    @Test func `the reported answer follows from the decision`() throws {
        let policy = try Policy.shipped(named: "compute")
        let judge = DenialDecider(policy: policy, mode: .permissive, hasReaper: false)
        let lock = judge.policy.verdict(number: try #require(SystemCall(named: "flock")).number, arguments: [])
        #expect(judge.answer(lock, decision: .proceed) == .passed(errno: EPERM))
        #expect(judge.answer(lock, decision: .deny(errno: EPERM)) == .denied(errno: EPERM))
        let socket = judge.policy.verdict(number: try #require(SystemCall(named: "socket")).number, arguments: [])
        #expect(judge.answer(socket, decision: .proceed) == .passed(errno: nil))
        #expect(judge.answer(socket, decision: .end) == .ended)
        let harmless = judge.policy.verdict(number: try #require(SystemCall(named: "getpid")).number, arguments: [])
        #expect(judge.answer(harmless, decision: .proceed) == nil)
        #expect(judge.answer(harmless, decision: .deny(errno: EPERM)) == .denied(errno: EPERM))
    }
}
