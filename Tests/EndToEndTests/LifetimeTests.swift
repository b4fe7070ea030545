import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

/// Nothing is left behind, however often and however suddenly it ends. `make soak` asks for the full numbers.
@Suite(.serialized, .timeLimit(.minutes(20))) struct LifetimeTests {
    private static func number(_ name: String, short: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? short
    }

    @Test func `LIFE-05: launches leave every count as it was`() async throws {
        let folder = try TemporaryFolder()
        let rounds = Self.number("ANNEX_LAUNCHES", short: 50)
        let app = try ExampleBundles.path(of: "Shout.app")
        // A process of its own: this one's other tests have counts of theirs.
        let run = try await Program.run(
            "counts-its-launches", [app, "com.example.shout.loud", "\(rounds)"], in: folder)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(2) == ["answered \(rounds)", "descriptors for each idle extension 4"],
            "\(run.output)\(run.errors)")
        // Threads are the runtime's own too, which lets one go when it finds time.
        let counts = lines.dropFirst(2).map { $0.replacing(/, threads \d+/, with: "") }
        let threads = lines.dropFirst(2).compactMap { $0.firstMatch(of: /threads (\d+)/).flatMap { Int($0.1) } }
        #expect(counts.count == 2 && counts.first == counts.last, "\(run.output)\(run.errors)")
        #expect(threads.count == 2 && threads[0] >= threads[1], "\(run.output)\(run.errors)")
        print("annex: \(rounds) launches, then \(lines.last ?? "")")
    }

    @Test func `START-06: many launches at once all settle`() async throws {
        let host = try AnnexHost.embedded(apps: [ExampleBundles.path(of: "Shout.app")])
        let ends = try await withThrowingTaskGroup(of: Termination.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let session = try await host.begin("com.example.shout.loud")
                    _ = try await session.request([ExtensionItem(contentText: "x")])
                    return await session.complete()
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ends.count == 20)
        #expect(ends.allSatisfy { $0.reason == .completed }, "\(ends)")
    }

    @Test func `L4: a killed host leaves no process, and the next start sweeps the rest`() async throws {
        let known = Set(MachineCounts.processes(named: "annex-warden") + Self.extensions())
        let app = try ExampleBundles.path(of: "Shout.app")
        let rounds = Self.number("ANNEX_KILLS", short: 10)
        var longest = Duration.zero
        for _ in 0..<rounds {
            let host = try Background.start("launches-forever", [app, "com.example.shout.loud"])
            try await Task.sleep(for: .microseconds(Int.random(in: 0..<250_000)))
            host.kill()
            let killed = ContinuousClock.now
            await eventually {
                Set(MachineCounts.processes(named: "annex-warden") + Self.extensions()).subtracting(known).isEmpty
            }
            longest = max(longest, ContinuousClock.now - killed)
        }
        print("annex: \(rounds) hosts killed; all was gone after \(longest) at most")
        _ = try AnnexHost.embedded()
        #expect(StaleGroups.find().isEmpty)
    }

    /// Every process that runs the example, by the name that the sandbox gives it.
    private static func extensions() -> [Int32] {
        MachineCounts.processes(named: "Loud")
    }

    @Test func `L4: dropping a session ends its extension`() async throws {
        let host = try AnnexHost.embedded(apps: [ExampleBundles.path(of: "Shout.app")])
        let before = Self.extensions().count
        do { _ = try await host.begin("com.example.shout.loud") }
        await eventually { Self.extensions().count <= before }
    }
}
