import AnnexLinux
import AnnexTestSupport
import AnnexWarden
import Foundation
import Testing

@testable import AnnexLaunch

/// A plan that is longer than a packet.
@Suite(.timeLimit(.minutes(20))) struct LongPlanTests {
    /// Entries of the environment with so many bytes together.
    private static func environment(_ bytes: Int) -> [String] {
        let count = (bytes + 99_999) / 100_000
        return (0..<count).map { "LONG\($0)=" + String(repeating: "a", count: bytes / count) }
    }

    @Test func `long and short plans are launched in turn and leave no memory in use`() async throws {
        let fixture = try await WardenFixture.launchedOnce()
        let before = WardenState(fixture.warden.number)
        let memory = try Self.memory(of: fixture.warden.number)
        for length in [1_800_000, 0, 200_000, 1_000_000, 0] {
            var plan = try fixture.plan("exit", "5")
            plan.environment += Self.environment(length)
            let run = try fixture.launch(plan)
            await run.recording.finish()
            #expect(
                run.recording.end == .exited(code: 5), "\(length) bytes: \(String(describing: run.recording.failure))")
        }
        await eventually { WardenState(fixture.warden.number).isNoMore(than: before) }
        // The kernel counts pages of each processor together only now and then.
        #expect(try Self.memory(of: fixture.warden.number) < memory + 1_000)
    }

    /// The memory of a process in use, in KiB.
    private static func memory(of process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }

    /// The plan has room for 6 MiB, and the kernel takes less.
    @Test func `more than the kernel takes is an error with a remedy`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("exit", "5")
        plan.environment += Self.environment(6_340_000)
        let run = try fixture.launch(plan)
        await run.recording.finish()
        let failure = try #require(run.recording.failure)
        #expect(failure.step == .exec && failure.errno == E2BIG)
        #expect(failure.remedy?.contains("xargs -s 100000") == true)
    }

    @Test func `more than a plan holds is an error with a remedy`() throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("exit", "5")
        plan.environment += Self.environment(Int(ANNEX_PLAN_LARGEST))
        do {
            _ = try plan.encoded(launch: 1)
            Issue.record("the plan was encoded")
        } catch {
            #expect(error.errno == E2BIG && error.remedy?.contains("xargs -s 100000") == true, "\(error)")
        }
    }

    @Test func `a longer argument than the kernel takes is an error that says so`() throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("exit", "5")
        plan.arguments += [String(repeating: "a", count: 131_071)]
        #expect(throws: Never.self) { try plan.encoded(launch: 1) }
        plan.arguments += [String(repeating: "a", count: 131_072)]
        do {
            _ = try plan.encoded(launch: 1)
            Issue.record("the plan was encoded")
        } catch {
            #expect(error.errno == E2BIG && error.subject == "an argument of 131072 bytes", "\(error)")
            #expect(error.remedy?.contains("at most 131071 bytes") == true)
        }
    }
}
