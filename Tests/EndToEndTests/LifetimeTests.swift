import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

private let launches = Repetitions("ANNEX_LAUNCHES", short: 50)
private let kills = Repetitions("ANNEX_KILLS", short: 10)

/// After any number of ends, sudden or not, no resource may be left. `make soak` runs the full numbers.
@Suite(.serialized, .timeLimit(.minutes(max(launches.watchdog, kills.watchdog)))) struct LifetimeTests {
    @Test func `LIFE-05: launches leave every count as it was`() async throws {
        let folder = try TemporaryFolder()
        let rounds = launches.count
        let app = try ExampleBundles.path(of: "Shout.app")
        // The launches run in a separate process, because other tests in this process change the counts.
        let run = try await Program.run(
            "counts-its-launches", [app, "com.example.shout.loud", "\(rounds)"], in: folder)
        let lines = run.output.split(separator: "\n").map(String.init)
        let expected = ["answered \(rounds)", "descriptors for each idle extension 4"]
        #expect(lines.prefix(2) == expected[...], "\(run.output)\(run.errors)")
        let idle = ["wake-ups while idle 0", "wake-ups while idle not counted: memory is watched"]
        #expect(lines.count > 3 && idle.contains(lines[2]), "L3: \(run.output)\(run.errors)")
        #expect(lines.count > 3 && lines[3] == "more than before: false", "\(run.output)\(run.errors)")
        print("annex: \(rounds) launches, then \(lines.last ?? "")")
    }

    @Test func `START-06: many launches at once all settle`() async throws {
        let host = try AnnexHost.embedded(apps: [ExampleBundles.path(of: "Shout.app")], patience: .patience)
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

    @Test func `L4: a killed host leaves no process and the next start sweeps the rest`() async throws {
        let app = try ExampleBundles.path(of: "Shout.app")
        let rounds = kills.count
        var longest = Duration.zero
        var hosts: Set<Int32> = []
        let others = ProcessTable.wardens(of: -1)
        for _ in 0..<rounds {
            let host = try Background.start("launches-forever", [app, "com.example.shout.loud"])
            try await Task.sleep(for: .microseconds(Int.random(in: 0..<250_000)))
            var left = ProcessTable.family(of: host.number)
            host.kill()
            let killed = ContinuousClock.now
            hosts.insert(host.number)
            await eventually {
                left.formUnion(ProcessTable.family(of: host.number))
                left.formUnion(ProcessTable.family(of: -1).subtracting(others))
                // The set includes processes that outlive their warden.
                left.formIntersection(ProcessTable.named("annex-warden").union(Self.extensions()))
                return left.isEmpty
            }
            longest = max(longest, ContinuousClock.now - killed)
        }
        print("annex: \(rounds) hosts killed; all was gone after \(longest) at most")
        _ = try AnnexHost.embedded()
        let stale = StaleGroups.find(of: hosts)
        #expect(stale.isEmpty, "\(stale)")
    }

    /// Every process that runs the example, by the name that the sandbox gives it.
    private static func extensions() -> Set<Int32> {
        ProcessTable.named("Loud")
    }

    @Test func `L4: dropping a session ends its extension`() async throws {
        let host = try AnnexHost.embedded(apps: [ExampleBundles.path(of: "Shout.app")], patience: .patience)
        let before = Self.extensions()
        var begun: Set<Int32> = []
        do {
            let session = try await host.begin("com.example.shout.loud")
            begun = ProcessTable.children(of: ProcessTable.wardens(of: getpid())).intersection(Self.extensions())
                .subtracting(before)
            withExtendedLifetime(session) {}
        }
        #expect(!begun.isEmpty)
        // The set includes extensions of other tests, which end with those tests.
        await eventually { Self.extensions().isDisjoint(with: begun) }
    }
}
