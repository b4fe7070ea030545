import AnnexLinux
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexChannel

/// An extension that stops, pauses or dies at every step of the protocol. It does so before its hello, within a frame,
/// and between publishing a frame and its doorbell. It also does so while it sleeps, while it has or sends memory,
/// within a stream, and during its own open call.
@Suite(.timeLimit(.minutes(20))) struct StoppedPeerTests {
    /// The test runs in a separate process, which counts its own descriptors, threads and mappings.
    @Test func `IPC-06, SIG-04: calls end in time and nothing leaks if an extension stops at any step`() async {
        let run = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try await Holdings.prepare()
            // The rounds have tasks, and on a machine with one processor, the pool has only one thread for tasks.
            let wrong = try await Thread.detached { try StoppedPeerTests.sweepAll() }
            print("annex: \(wrong) wrong")
        }
        let text = String(decoding: run?.standardOutputContent ?? [], as: UTF8.self)
        #expect(text.contains("annex: 0 wrong"), "\(text)")
    }

    private static func sweepAll() throws -> Int {
        let loop = try EventLoop()
        for fate in StoppedRound.Fate.allCases { _ = try StoppedRound(fate, 1, loop).run() }
        let before = try Holdings.now()
        let wrong = StoppedRound.Fate.allCases.reduce(0) { $0 + sweep($1, loop) }
        try before.untilBack()
        loop.shutDown()
        return wrong
    }

    /// Tries every step in turn, several at the same time, until the extension ends without stopping.
    private static func sweep(_ fate: StoppedRound.Fate, _ loop: EventLoop) -> Int {
        let sweep = Sweep()
        let threads = (0..<4).map { _ in
            ExtensionThread(raw: {
                while !sweep.isOver.isSet {
                    let step = sweep.next.wrappingAdd(1, ordering: .relaxed).oldValue
                    do {
                        if try !StoppedRound(fate, step, loop).run() { sweep.isOver.set() }
                    } catch {
                        print("annex: \(error)")
                        sweep.wrong.wrappingAdd(1, ordering: .relaxed)
                    }
                }
            })
        }
        for thread in threads { thread.join() }
        print("annex: \(fate.rawValue) at each of \(sweep.next.load(ordering: .relaxed) - 4) steps")
        return sweep.wrong.load(ordering: .relaxed)
    }

    private final class Sweep: Sendable {
        let next = Atomic<Int>(1)
        let wrong = Atomic<Int>(0)
        let isOver = Flag()
    }
}
