import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

/// The reaper stays as the first process of a sandbox. Only the host can send signals to the reaper. The reaper keeps
/// no data that it does not need.
@Suite(.timeLimit(.minutes(20))) struct ReapingTests {
    private func plan(on fixture: WardenFixture, _ command: String, _ argument: String = "0") throws -> LaunchPlan {
        var plan = try fixture.plan(command, argument)
        plan.hasReaper = true
        return plan
    }

    @Test func `signals of the kernel to an orphaned group reach no process through the reaper`() async throws {
        let fixture = try WardenFixture()
        let run = try fixture.launch(plan(on: fixture, "orphan-group"))
        let world = try await run.world()
        #expect(world["alive"] == "1")
        #expect(run.recording.end == .exited(code: 0))
    }

    @Test func `a flood of stops is reported a few times`() async throws {
        let fixture = try WardenFixture()
        let begun = ContinuousClock.now
        let run = try fixture.launch(plan(on: fixture, "be-stopped", "20000"))
        await run.recording.finish()
        let span = ContinuousClock.now - begun
        #expect(run.recording.end == .exited(code: 0))
        let told = run.recording.order.count { $0 == .stopped }
        #expect(told <= Int(span / .milliseconds(20)) + 1)
    }

    @Test func `a stop that lasts is reported`() async throws {
        let fixture = try WardenFixture()
        let run = try fixture.launch(plan(on: fixture, "stay"))
        #expect(await run.recording.waits(for: .executed))
        try run.recording.kill(SIGTSTP)
        #expect(await run.recording.waits(for: .stopped))
        try run.recording.kill(SIGKILL)
        await run.recording.finish()
    }

    @Test func `a program that continues its first process is stopped all the same`() async throws {
        let fixture = try WardenFixture()
        let run = try fixture.launch(plan(on: fixture, "continue-the-first"))
        #expect(await run.recording.waits(for: .executed))
        let reaper = run.recording.process
        let program = try #require(try ProcessTree.members(of: reaper).dropFirst().first)
        // The program's own signals cancel a stop that the test sends. So the test sends the stop until it takes
        // effect.
        await eventually {
            try? run.recording.kill(SIGTSTP)
            return Self.isStopped(program)
        }
        // The signal comes as if a timer of the program sent it.
        #expect(kill(program, SIGCONT) == 0)
        await eventually { Self.isStopped(program) }
        try run.recording.kill(SIGKILL)
        await run.recording.finish()
    }

    private static func isStopped(_ process: Int32) -> Bool {
        ProcText.lines(of: "/proc/\(process)/status").contains { $0.hasPrefix("State:\tT") }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, which alone may read a reaper's memory"))
    func `the memory of a reaper holds no argument of its own or an earlier launch`() async throws {
        let fixture = try WardenFixture()
        let (earlier, own) = ("an-earlier-secret-\(UUID())", "a-secret-of-its-own-\(UUID())")
        var first = try fixture.plan("exit", "0")
        // The argument is long, so that later data does not overwrite all of it.
        first.arguments += [String(repeating: "x", count: 40_000), earlier]
        let before = try fixture.launch(first)
        await before.recording.finish()
        var second = try plan(on: fixture, "stay")
        second.arguments += [own]
        let run = try fixture.launch(second)
        #expect(await run.recording.waits(for: .executed))
        let memory = try Self.memory(of: run.recording.process)
        #expect(memory.count > 100_000, "nothing was read")
        #expect(memory.range(of: Data(own.utf8)) == nil)
        #expect(memory.range(of: Data(earlier.utf8)) == nil)
        #expect(try Self.memory(of: fixture.warden.number).range(of: Data(earlier.utf8)) == nil)
        try run.recording.kill()
        await run.recording.finish()
    }

    /// All memory that the reaper could have written to.
    private static func memory(of process: Int32) throws -> Data {
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(process)/mem"))
        var all = Data()
        for line in ProcText.lines(of: "/proc/\(process)/maps") where line.contains(" rw-p ") {
            let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt64($0, radix: 16) }
            // The table of launches belongs only to the warden, and takes no memory until it is used.
            guard ends.count == 2, ends[1] - ends[0] < 8 << 20 else { continue }
            try file.seek(toOffset: ends[0])
            all += try file.read(upToCount: Int(ends[1] - ends[0])) ?? Data()
        }
        return all
    }
}
