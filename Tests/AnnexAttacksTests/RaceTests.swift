import AnnexAttacks
import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import AnnexTestSupport
import Glibc
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(20))) struct RaceTests {
    static let tries: Int64 = 2000

    /// The broker decides about a held call only by the call's number and registers. So a path that changes while the
    /// call is held does not change the decision.
    @Test func `SEC-05: a program gains nothing by changing a path during the decision`() async throws {
        let memory = try Descriptor.memfd("annex-race", size: 4096)
        let flipper = try Flipper(try memory.duplicate())
        defer { flipper.stop() }
        await eventually { flipper.flips > 0 }
        let before = flipper.flips
        var script = TrialScript()
        let path = script.call("mmap", with: 0, 4096, 1, 1, 5, 0)
        let number = try #require(SystemCall(named: "chdir")).number
        let race = script.conduct(
            .probe, with: .number(number), .number(Self.tries), .result(path), 0, 0, 0, after: path)
        let outcome = try await TrialSandbox().run(
            script, under: try Self.policy(), gifts: DescriptorList(memory.duplicate()))
        #expect(outcome.answers.results[race] == 0)
        // There is one entry for each text that the broker saw. The sum of their counts is the number of tries.
        #expect(outcome.end.denials.filter { $0.call == "chdir" }.map(\.count).reduce(0, +) == Int(Self.tries))
        #expect(flipper.flips > before)
    }

    /// The policy `base`, with room for as many refusals as the race needs.
    private static func policy() throws -> Policy {
        let text = """
            policy: race
            summary: A race against the judge.
            includes: [base]
            limits:
              denials: 20000
            """
        return try PolicyLibrary.shipped.adding(["race": (text, "race.yaml")]).policy(named: "race")
    }
}

/// Another thread that changes a path without end. The path names an existing folder and a missing folder alternately.
private final class Flipper: Sendable {
    private let memory: Descriptor
    private let isStopped = Atomic<Bool>(false)
    private let count = Atomic<Int>(0)

    init(_ memory: consuming Descriptor) throws {
        self.memory = memory
        // This is a thread and not a task, because a task would occupy a thread of the pool.
        _ = try WorkerThread("annex-flipper") { [self] in flip() }
    }

    var flips: Int { count.load(ordering: .relaxed) }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    private func flip() {
        let texts = ["/bundle\0", "/nowher\0"].map { Array($0.utf8) }
        while !isStopped.load(ordering: .relaxed) {
            for text in texts { _ = text.withUnsafeBytes { pwrite(memory.number, $0.baseAddress, $0.count, 0) } }
            count.add(1, ordering: .relaxed)
        }
    }
}
