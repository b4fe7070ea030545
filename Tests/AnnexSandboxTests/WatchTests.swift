import AnnexLinux
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexLaunch

/// A watch that checks again and again. A check may have to wait for a foreign file system.
@Suite(.timeLimit(.minutes(20))) struct WatchTests {
    private final class Slow: Watched {
        static let interval = Duration.milliseconds(1)

        private struct State {
            var looks = 0
            var isLooking = false
            var wereTwo = false
            var isHeld = true
            var wasOnTheLoop = false
        }

        private let state = Mutex(State())
        private let loop: EventLoop

        init(_ loop: EventLoop) { self.loop = loop }

        var looks: Int { state.withLock { $0.looks } }
        var wereTwo: Bool { state.withLock { $0.wereTwo } }
        var wasOnTheLoop: Bool { state.withLock { $0.wasOnTheLoop } }

        func release() { state.withLock { $0.isHeld = false } }

        func check() -> Bool {
            state.withLock { state in
                state.wereTwo = state.wereTwo || state.isLooking
                state.wasOnTheLoop = state.wasOnTheLoop || loop.isCurrent
                state.isLooking = true
                state.looks += 1
            }
            while state.withLock({ $0.isHeld }) { usleep(1000) }
            state.withLock { $0.isLooking = false }
            return true
        }
    }

    private var threads: Int {
        ProcText.names(in: "/proc/self/task").count {
            (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "annex-watches\n"
        }
    }

    @Test func `a look that does not end blocks neither the loop nor another look`() async throws {
        let loop = try EventLoop()
        defer { loop.shutDown() }
        let subject = Slow(loop)
        let watch = Watch(subject, orOn: loop)
        await eventually { subject.looks == 1 }
        let isServed = Atomic(false)
        loop.execute { isServed.store(true, ordering: .relaxed) }
        await eventually { isServed.load(ordering: .relaxed) }
        #expect(subject.looks == 1)
        subject.release()
        await eventually { subject.looks > 3 }
        watch.finish()
        #expect(!subject.wereTwo && !subject.wasOnTheLoop)
    }

    /// The test runs in a separate process, because other tests use watches in this process at the same time.
    @Test func `the thread of the watches ends with the last of them`() async {
        await #expect(processExitsWith: .success) {
            let tests = WatchTests()
            let loop = try EventLoop()
            var watches: [Watch<Slow>] = []
            for _ in 0..<3 {
                let subject = Slow(loop)
                subject.release()
                watches.append(Watch(subject, orOn: loop))
            }
            await eventually { tests.threads == 1 }
            // A watch whose check does not end is released too.
            let stuck = Slow(loop)
            watches.append(Watch(stuck, orOn: loop))
            await eventually { stuck.looks == 1 }
            for watch in watches { watch.finish() }
            watches = []
            stuck.release()
            await eventually { tests.threads == 0 }
            let subject = Slow(loop)
            subject.release()
            let again = Watch(subject, orOn: loop)
            await eventually { subject.looks > 1 }
            again.finish()
        }
    }
}
