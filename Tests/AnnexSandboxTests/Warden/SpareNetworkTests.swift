import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

/// A network that is made ahead belongs to only one sandbox, like a network that is made for that sandbox.
@Suite(.timeLimit(.minutes(20))) struct SpareNetworkTests {
    @Test func `each sandbox has its own network, made ahead or not`() async throws {
        let fixture = try await WardenFixture.launchedOnce()
        // All networks exist until the end of the test, because the kernel may reuse the number of a network that is
        // gone.
        var seen = [try #require(network(of: getpid()))]
        for round in 0..<3 {
            // The first launch of a round finds a spare network if the machine allows one. The other launches come too
            // soon for another spare.
            for run in [try start(on: fixture), try start(on: fixture), try start(on: fixture)] {
                #expect(await run.waits(for: .executed))
                let own = try #require(network(of: run.process), "round \(round)")
                #expect(!seen.contains(own), "round \(round)")
                seen.append(own)
            }
            await waitsForSpare(on: fixture, notAmong: seen)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, which alone can make one without a user namespace"))
    func `a host that launches once does not pay for a network made ahead`() async throws {
        let fixture = try await WardenFixture.launchedOnce()
        #expect(network(of: fixture.warden.number) == network(of: getpid()))
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, which alone can make one without a user namespace"))
    func `a network that is made ahead goes to the next sandbox`() async throws {
        let fixture = try await WardenFixture.launchedOnce()
        let first = try start(on: fixture)
        #expect(await first.waits(for: .executed))
        let taken = try [#require(network(of: getpid())), #require(network(of: first.process))]
        await waitsForSpare(on: fixture, notAmong: taken)
        let spare = network(of: fixture.warden.number)
        let second = try start(on: fixture)
        #expect(await second.waits(for: .executed))
        #expect(network(of: second.process) == spare)
        // The warden leaves the network that it gave away, even if no other launch follows.
        await waitsForSpare(on: fixture, notAmong: taken + [spare].compactMap { $0 })
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, which alone can leave this layer out"))
    func `a plan without the network layer runs in the network of the host`() async throws {
        let fixture = try await WardenFixture.launchedOnce()
        let host = try #require(network(of: getpid()))
        for _ in 0..<2 {
            let other = try start(on: fixture)
            #expect(await other.waits(for: .executed))
            await waitsForSpare(on: fixture, notAmong: [host, try #require(network(of: other.process))])
            let run = try start(on: fixture) { $0.layers.remove(.network) }
            #expect(await run.waits(for: .executed))
            #expect(network(of: run.process) == host)
        }
    }

    @Test func `a sandbox whose loopback is raised owns its network`() async throws {
        let fixture = try await WardenFixture.launchedOnce()
        let other = try start(on: fixture)
        #expect(await other.waits(for: .executed))
        await waitsForSpare(on: fixture, notAmong: [try #require(network(of: other.process))])
        var plan = try fixture.plan("world")
        plan.hasLoopback = true
        let world = try await fixture.launch(plan).world()
        #expect(world["loopback"] == "\(ECONNREFUSED)")
    }

    private func start(
        on fixture: WardenFixture, _ change: (inout LaunchPlan) -> Void = { _ in }
    ) throws -> Recording {
        var plan = try fixture.plan("stay")
        change(&plan)
        return try fixture.launch(plan).recording
    }

    /// Waits until the warden is in a network that no sandbox has. If the warden makes no spare network, the function
    /// returns at once.
    private func waitsForSpare(on fixture: WardenFixture, notAmong taken: [String]) async {
        guard geteuid() == 0 else { return }
        await eventually { network(of: fixture.warden.number).map { !taken.contains($0) } ?? false }
    }

    private func network(of process: Int32) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/ns/net")
    }
}
