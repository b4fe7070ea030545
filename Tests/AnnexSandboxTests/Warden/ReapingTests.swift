import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexSandbox

/// What stays behind as the first process of a sandbox: it hears the host alone, and knows nothing that it does not need.
@Suite(.timeLimit(.minutes(20))) struct ReapingTests {
    private func plan(on ground: Ground, _ command: String, _ argument: String = "0") throws -> LaunchPlan {
        var plan = try ground.plan(command, argument)
        plan.hasReaper = true
        return plan
    }

    @Test func `what the kernel sends a group that became an orphan reaches nobody through the reaper`() async throws {
        let ground = try Ground()
        let run = try ground.launch(plan(on: ground, "orphan-group"))
        let world = try await run.world()
        #expect(world["alive"] == "1")
        #expect(run.recording.end == .exited(code: 0))
    }

    @Test func `a flood of stops is told a few times`() async throws {
        let ground = try Ground()
        let begun = ContinuousClock.now
        let run = try ground.launch(plan(on: ground, "be-stopped", "20000"))
        await run.recording.finish()
        let span = ContinuousClock.now - begun
        #expect(run.recording.end == .exited(code: 0))
        let told = run.recording.order.count { $0 == .stopped }
        #expect(told <= Int(span / .milliseconds(20)) + 1)
    }

    @Test func `a stop that lasts is told`() async throws {
        let ground = try Ground()
        let run = try ground.launch(plan(on: ground, "stay"))
        #expect(await run.recording.waits(for: .executed))
        try run.recording.kill(SIGTSTP)
        #expect(await run.recording.waits(for: .stopped))
        try run.recording.kill(SIGKILL)
        await run.recording.finish()
    }

    @Test func `who asks the first process from within to go on is stopped all the same`() async throws {
        let ground = try Ground()
        let run = try ground.launch(plan(on: ground, "continue-the-first"))
        #expect(await run.recording.waits(for: .executed))
        let reaper = run.recording.process
        let program = try #require(try ProcessTree.members(of: reaper).dropFirst().first)
        // Its own signals take one from here off the row again: this is sent until it comes through.
        await eventually {
            try? run.recording.kill(SIGTSTP)
            return Self.isStopped(program)
        }
        // As a timer of its own would wake it.
        #expect(kill(program, SIGCONT) == 0)
        await eventually { Self.isStopped(program) }
        try run.recording.kill(SIGKILL)
        await run.recording.finish()
    }

    private static func isStopped(_ process: Int32) -> Bool {
        ProcText.lines(of: "/proc/\(process)/status").contains { $0.hasPrefix("State:\tT") }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, which alone may read a reaper's memory"))
    func `its memory holds no argument, of its own launch or an earlier one`() async throws {
        let ground = try Ground()
        let (earlier, own) = ("an-earlier-secret-\(UUID())", "a-secret-of-its-own-\(UUID())")
        var first = try ground.plan("exit", "0")
        // Long, so that what follows does not lie over it.
        first.arguments += [String(repeating: "x", count: 40_000), earlier]
        let before = try ground.launch(first)
        await before.recording.finish()
        var second = try plan(on: ground, "stay")
        second.arguments += [own]
        let run = try ground.launch(second)
        #expect(await run.recording.waits(for: .executed))
        let memory = try Self.memory(of: run.recording.process)
        #expect(memory.count > 100_000, "nothing was read")
        #expect(memory.range(of: Data(own.utf8)) == nil)
        #expect(memory.range(of: Data(earlier.utf8)) == nil)
        #expect(try Self.memory(of: ground.warden.number).range(of: Data(earlier.utf8)) == nil)
        try run.recording.kill()
        await run.recording.finish()
    }

    /// All that it could have written to.
    private static func memory(of process: Int32) throws -> Data {
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(process)/mem"))
        var all = Data()
        for line in ProcText.lines(of: "/proc/\(process)/maps") where line.contains(" rw-p ") {
            let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt64($0, radix: 16) }
            // The table of launches is the warden's alone, and no memory until it is used.
            guard ends.count == 2, ends[1] - ends[0] < 8 << 20 else { continue }
            try file.seek(toOffset: ends[0])
            all += try file.read(upToCount: Int(ends[1] - ends[0])) ?? Data()
        }
        return all
    }
}
