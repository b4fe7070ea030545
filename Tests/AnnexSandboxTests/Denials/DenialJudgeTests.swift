import AnnexPolicy
import Glibc
import Testing

@testable import AnnexSandbox

@Suite struct DenialJudgeTests {
    private static func decide(
        _ name: String, _ arguments: [UInt64], _ mode: DenialMode, hasReaper: Bool = false, foreign: Bool = false
    ) throws -> DenialJudge.Decision {
        let judge = DenialJudge(policy: try .shipped(named: "compute"), mode: mode, hasReaper: hasReaper)
        let number = try #require(SystemCall(named: name)).number
        let call = HeldCall(
            id: 1, thread: 0, architecture: foreign ? 0x4000_0003 : Architecture.current.audit, number: number,
            arguments: arguments + [UInt64](repeating: 0, count: 6 - arguments.count))
        return judge.decide(call, judge.policy.verdict(number: call.number, arguments: call.arguments))
    }

    @Test func enforcingLetsNothingPass() throws {
        #expect(try Self.decide("socket", [2, 1], .enforce) == .end)
        #expect(try Self.decide("flock", [], .enforce) == .refuse(errno: EPERM))
        // What the policy allows never comes here; should it, it is a difference between filter and policy.
        #expect(try Self.decide("getpid", [], .enforce) == .refuse(errno: EPERM))
        #expect(try Self.decide("tgkill", [1, 1, 6], .enforce) == .abort)
    }

    @Test func explainingRefusesTheSame() throws {
        #expect(try Self.decide("socket", [2, 1], .explain) == .end)
        #expect(try Self.decide("flock", [], .explain) == .refuse(errno: EPERM))
        #expect(try Self.decide("getpid", [], .explain) == .proceed)
        #expect(try Self.decide("tgkill", [1, 1, 6], .explain) == .abort)
    }

    /// The number that stands for the launch's own until it is put in: no filter has it, and no listener may heed it.
    @Test(arguments: DenialMode.allCases)
    func `FS-17: what looks like the launch's own exec is refused in every mode`(mode: DenialMode) throws {
        let likeness: [UInt64] = [3, 0x1000, 0, 0, 0x1000, 0xA5C3_5E1D_C7B2_49E6]
        #expect(try Self.decide("execveat", likeness, mode) == .refuse(errno: EPERM))
        #expect(try Self.decide("read", [0, 0, 1], mode) == .refuse(errno: EPERM))
    }

    @Test(arguments: DenialMode.allCases)
    func `SEC-02: foreign calls never pass`(mode: DenialMode) throws {
        #expect(try Self.decide("getpid", [], mode, foreign: true) == .refuse(errno: EPERM))
        #expect(try Self.decide("socket", [2, 1], mode, foreign: true) == .refuse(errno: EPERM))
    }

    @Test(arguments: [DenialMode.permissive, .learn])
    func whatOnlyReportsLetsPass(mode: DenialMode) throws {
        #expect(try Self.decide("socket", [2, 1], mode) == .proceed)
        #expect(try Self.decide("flock", [], mode) == .proceed)
        // Refused quietly otherwise.
        #expect(try Self.decide("clone3", [], mode) == .proceed)
        #expect(try Self.decide("tgkill", [1, 1, 6], mode) == .abort)
    }

    @Test func withAReaperAProgramAbortsItself() throws {
        for mode in DenialMode.allCases {
            #expect(try Self.decide("tgkill", [1, 1, 6], mode, hasReaper: true) == .proceed)
        }
    }

    @Test func whatIsToldFollowsFromWhatWasDone() throws {
        let policy = try Policy.shipped(named: "compute")
        let judge = DenialJudge(policy: policy, mode: .permissive, hasReaper: false)
        let lock = judge.policy.verdict(number: try #require(SystemCall(named: "flock")).number, arguments: [])
        #expect(judge.answer(lock, .proceed) == .passed(errno: EPERM))
        #expect(judge.answer(lock, .refuse(errno: EPERM)) == .refused(errno: EPERM))
        let socket = judge.policy.verdict(number: try #require(SystemCall(named: "socket")).number, arguments: [])
        #expect(judge.answer(socket, .proceed) == .passed(errno: nil))
        #expect(judge.answer(socket, .end) == .ended)
        let harmless = judge.policy.verdict(number: try #require(SystemCall(named: "getpid")).number, arguments: [])
        #expect(judge.answer(harmless, .proceed) == nil)
        #expect(judge.answer(harmless, .refuse(errno: EPERM)) == .refused(errno: EPERM))
    }
}
