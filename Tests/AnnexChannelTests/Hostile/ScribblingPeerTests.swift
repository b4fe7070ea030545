import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexChannel

/// A process that writes over its region at full speed while its host calls. `make hostile-soak` makes this test run
/// longer.
@Suite(.timeLimit(.minutes(20))) struct ScribblingPeerTests {
    /// The test runs in a separate process, which counts its own descriptors, threads and memory. A trap ends that
    /// process.
    @Test func `IPC-01, IPC-05, IPC-08: every call ends once and nothing leaks under a scribbling extension`() async {
        let run = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try await Holdings.prepare()
            let minutes: Int? = GivenNumber.of("ANNEX_HOSTILE_MINUTES")
            // The rounds have tasks, and on a machine with one processor, the pool has only one thread for tasks.
            try await Thread.detached { try ScribblingPeerTests.soak(for: minutes.map { .seconds($0 * 60) }) }
        }
        print(String(decoding: run?.standardOutputContent ?? [], as: UTF8.self))
    }

    /// - Parameter time: if nil, there are as many rounds as are needed to use each kind of scribbling four times.
    private static func soak(for time: Duration?) throws {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        let loop = try EventLoop()
        let verdicts = Verdicts()
        // The first rounds create the objects that are created only once.
        for round in 0..<6 { try once(round, verdicts, loop, &random) }
        let before = try Holdings.now()
        var memory = Memory.now
        let deadline = time.map { MonotonicClock.deadline(after: $0) }
        var rounds = 6
        // On a busy machine, the host may find an extension's violation before the extension could answer. The test
        // goes on until both an answer and a violation have happened.
        func isEnough() -> Bool { rounds >= 24 && verdicts.count("done") > 0 && verdicts.count("violated") > 0 }
        while !isEnough() || deadline.map({ MonotonicClock.now() < $0 }) ?? false {
            try once(rounds, verdicts, loop, &random)
            rounds += 1
            // The allocator's own memory use becomes stable within the first hundred rounds.
            if rounds == 100 { memory = Memory.now }
        }
        try before.untilBack()
        let grown = Memory.now - memory
        print(
            "annex: \(rounds) rounds, seed \(seed), \(verdicts.begun) begun: \(verdicts.text); grown by \(grown) bytes")
        guard verdicts.begun == verdicts.ended else { exit(2) }
        // A leaked channel would take several kilobytes per round. Memory that the allocator keeps for later threads is
        // no leak.
        guard rounds < 1000 || grown < 2 << 20 + (rounds - 100) * 1024 else { exit(3) }
        loop.shutDown()
    }

    private static func once(
        _ number: Int, _ verdicts: Verdicts, _ loop: EventLoop, _ random: inout SeededRandom
    ) throws {
        let left = try ScribbledRound(number, verdicts, loop, using: &random).run(for: .milliseconds(120))
        // A handler or timer may hold the host a moment longer. If it holds the host for ever, the watchdog ends the
        // test.
        while left.value != nil { usleep(100) }
    }

    /// The bytes of private memory of this process.
    private enum Memory {
        static var now: Int {
            let line = ProcText.lines(of: "/proc/self/status").first { $0.hasPrefix("RssAnon:") }
            return (line?.split(separator: " ").dropFirst().first).flatMap { Int($0) }.map { $0 * 1024 } ?? 0
        }
    }
}
