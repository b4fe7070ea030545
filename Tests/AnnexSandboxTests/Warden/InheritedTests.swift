import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

/// A sandbox must inherit none of the priorities of its host's process.
@Suite(.timeLimit(.minutes(20))) struct InheritedTests {
    /// A file of the host's `/proc`, without the newline at its end.
    private func proc(_ process: Int32, _ file: String) throws -> String {
        try String(contentsOfFile: "/proc/\(process)/\(file)", encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    /// Checks the sandbox's own report. The host was started through a command.
    private func expectOrdinary(
        through command: [String], hosts file: String, _ value: String, nice: String = "0", personality: String = "0",
        score: Int
    ) async throws {
        let fixture = try WardenFixture()
        let removal = try fixture.directory("removal")
        let host = try HostProgram(through: command, "inherited", fixture.folder.path, removal.path)
        let process = try #require(await host.number(of: "process"))
        #expect(try proc(host.number, file) == value, "the command did not do what the test is about")
        #expect(await host.value(of: "policy") == "0")
        #expect(await host.value(of: "nice") == nice)
        #expect(await host.value(of: "io") == "0")
        #expect(await host.value(of: "personality") == personality)
        for limit in ["nice", "real-time", "real-time-span"] { #expect(await host.value(of: "limit.\(limit)") == "0") }
        #expect(try proc(process, "oom_score_adj") == "\(score)")
        #expect(try proc(process, "coredump_filter") == "00000000")
        host.kill()
    }

    @Test func `a sandbox ends before its host when memory runs out`() async throws {
        let own = try #require(Int(proc(getpid(), "oom_score_adj")))
        let raised = max(own, 321)
        try await expectOrdinary(
            through: ["choom", "-n", "\(raised)", "--"], hosts: "oom_score_adj", "\(raised)",
            score: min(1000, raised + 500))
    }

    @Test func `a host without random addresses does not pass that on`() async throws {
        let own = try #require(Int(proc(getpid(), "oom_score_adj")))
        try await expectOrdinary(
            through: ["setarch", "-R"], hosts: "personality", "00040000", score: min(1000, max(0, own) + 500))
    }

    @Test func `a personality that a service manager locked stays unchanged`() async throws {
        let own = try #require(Int(proc(getpid(), "oom_score_adj")))
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "restricts-itself").path
        try await expectOrdinary(
            // The filter also applies to the sandbox, where it denies reading the personality.
            through: [program, "locked-personality", "--"], hosts: "comm", "holds-a-sandbox", personality: "-1",
            score: min(1000, max(0, own) + 500))
    }

    @Test func `a host with low priority keeps its sandbox below itself`() async throws {
        let own = try #require(Int(proc(getpid(), "oom_score_adj")))
        let nice = getpriority(Int32(PRIO_PROCESS.rawValue), 0) + 5
        try await expectOrdinary(
            through: ["nice", "-n", "5"], hosts: "comm", "holds-a-sandbox", nice: "\(min(19, nice))",
            score: min(1000, max(0, own) + 500))
    }

    @Test func `a sandbox without a weighted group has a lower priority than its host`() async throws {
        let fixture = try WardenFixture()
        let own = getpriority(Int32(PRIO_PROCESS.rawValue), 0)
        for (isNice, more) in [(false, 0 as Int32), (true, 5)] {
            var plan = try fixture.plan("world")
            plan.isNice = isNice
            let world = try await fixture.launch(plan).world()
            #expect(world["nice"] == "\(min(19, max(0, own) + more))")
            #expect(world["limit.nice"] == "0")
        }
        let limits = try Policy.shipped(named: "compute").limits
        #expect(HeldLimits(limits, group: [.memory, .swap], sharesItsUser: true).isNice)
        #expect(!HeldLimits(limits, group: [.processorShare], sharesItsUser: true).isNice)
    }

    @Test func `a sandbox that yields has the lowest priority for processors and disks`() async throws {
        let fixture = try WardenFixture()
        let idleClass = 3 << 13
        for isNice in [false, true] {
            var plan = try fixture.plan("world")
            (plan.yields, plan.isNice) = (true, isNice)
            let world = try await fixture.launch(plan).world()
            #expect(world["nice"] == "19" && world["io"] == "\(idleClass)", "\(world)")
        }
    }

    @Test(.enabled("needs root that may take real-time priority") { try await Self.mayFavour() })
    func `the real-time and disk priority of a host are not passed on`() async throws {
        let own = try #require(Int(proc(getpid(), "oom_score_adj")))
        try await expectOrdinary(
            through: ["ionice", "-c", "1", "-n", "0", "chrt", "-f", "3"],
            hosts: "comm", "holds-a-sandbox", score: min(1000, max(0, own) + 500))
    }

    @Test(.enabled("needs root that may take a better niceness") { try await Self.mayFavour() })
    func `the higher priority of a host is not passed on`() async throws {
        let own = try #require(Int(proc(getpid(), "oom_score_adj")))
        try await expectOrdinary(
            through: ["nice", "-n", "-7"], hosts: "comm", "holds-a-sandbox", score: min(1000, max(0, own) + 500))
    }

    private static func mayFavour() async throws -> Bool {
        guard geteuid() == 0 else { return false }
        return try await Program.tool(["ionice", "-c", "1", "chrt", "-f", "3", "nice", "-n", "-7", "true"]).status
            == 0
    }
}
