import AnnexLinux
import AnnexTestSupport
import Synchronization
import Testing

@testable import AnnexLaunch

/// The report of an end waits until the sandbox's remains are examined. The wait lasts as long as examinations make
/// progress, up to a limit.
@Suite(.timeLimit(.minutes(20))) struct ExaminationDeadlineTests {
    private static let patience = Duration.milliseconds(20)

    /// Counts how often the deadline asked for the progress. Each answer is the result of `next` for that count.
    private static func asks(_ next: @escaping @Sendable (Int) -> Int) async throws -> Int {
        let loop = try EventLoop(name: "annex-test")
        defer { loop.shutDown() }
        let asked = Mutex(0)
        let count: @Sendable () -> Int = {
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            return next(number)
        }
        let hasPassed = Mutex(false)
        let deadline = ExaminationDeadline(on: loop, patience: patience, progress: count) {
            hasPassed.withLock { $0 = true }
        }
        await eventually { hasPassed.withLock { $0 } }
        withExtendedLifetime(deadline) {}
        return asked.withLock { $0 }
    }

    @Test func `a thread that gets nothing done ends the wait at once`() async throws {
        // The deadline asks once at the beginning, and once when the time has passed.
        #expect(try await Self.asks { _ in 7 } == 2)
    }

    @Test func `a thread that gets work done is waited for, but not for ever`() async throws {
        #expect(try await Self.asks { $0 } == 1 + ExaminationDeadline.most)
    }

    @Test func `a deadline that is cancelled never passes`() async throws {
        let loop = try EventLoop(name: "annex-test")
        defer { loop.shutDown() }
        let deadline = ExaminationDeadline(on: loop, patience: Self.patience, progress: { 0 }) {
            Issue.record("the deadline passed")
        }
        deadline.cancel()
        // This timer of the same loop is set for a later moment. The deadline's timer would have fired before it.
        let isLater = Mutex(false)
        loop.schedule(after: Self.patience * 2) { isLater.withLock { $0 = true } }
        await eventually { isLater.withLock { $0 } }
    }
}
