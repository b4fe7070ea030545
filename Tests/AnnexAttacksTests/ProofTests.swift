import AnnexAttacks
import AnnexLaunch
import AnnexPolicy
import Foundation
import Testing

private let wanted = ProcessInfo.processInfo.environment["ANNEX_PROVE"]
private let provesAll = wanted == "all"

/// The worth of each layer: with it left out, and with it alone, every attack ends as predicted.
///
/// The policies are proven one after another, and few of the attacks that hold thousands of file locks at once. The time to
/// read `/proc/locks` grows with the square of all locks that the machine holds.
@Suite(.serialized, .timeLimit(.minutes(provesAll ? 60 : 20))) struct ProofTests {
    /// The policies to prove: by default the two that differ most, one as root and one as an ordinary user, because both run side
    /// by side. With ANNEX_PROVE=all they are all shipped policies, which takes a quarter of an hour. With ANNEX_PROVE=NAME it
    /// is one policy.
    static let policies = provesAll ? CatalogueTests.policies : wanted.map { [$0] } ?? usual
    private static let usual =
        getuid() == 0 ? ["tool"] : ["com.apple.share-services+com.apple.security.network.client"]
    /// Combinations under way at once. Each has a launcher and canaries, with descriptors of their own.
    static let atOnce = 4
    static let combinations =
        LayersTests.single.map { SandboxLayers.all.subtracting($0) } + LayersTests.single

    @Test(arguments: policies) func `each layer stops exactly the attacks that the table predicts`(_ name: String)
        async throws
    {
        let policy = try Policy.shipped(named: name)
        let bare = try await Self.bare(try AttackRunner(), policy)
        async let locking: Void = Self.proveEach(Self.locking, under: policy, bare: bare, atOnce: 2)
        try await Self.proveEach(Self.others, under: policy, bare: bare, atOnce: Self.atOnce)
        try await locking
    }

    private static func proveEach(
        _ attacks: [Attack], under policy: Policy, bare: [String: Bool], atOnce: Int
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, layers) in combinations.filter(LayersTests.isPossible).enumerated() {
                if place >= atOnce { try await group.next() }
                group.addTask { try await prove(attacks, under: policy, with: layers, bare: bare) }
            }
            try await group.waitForAll()
        }
    }

    private static let locking = Catalogue.attacks.filter { ["KOBJ-01", "KOBJ-02"].contains($0.id) }
    private static let others = Catalogue.attacks.filter { attack in !locking.contains { $0.id == attack.id } }

    /// Each trial has canaries of its own, so that it does not find the remains of another.
    private static func prove(
        _ attacks: [Attack], under policy: Policy, with layers: SandboxLayers, bare: [String: Bool]
    ) async throws {
        let runner = try AttackRunner()
        for attack in attacks {
            for one in attack.tries {
                let key = "\(attack.id) \(one.name)"
                let tried = try await runner.run(one, under: policy, layers: layers)
                let stopped = runner.isStopped(one, under: policy, layers: layers, bare: bare[key] ?? false)
                switch tried.verdict {
                case .stopped: #expect(stopped, "\(key) is stopped (\(tried.detail)) with \(layers.list)")
                case .gotThrough, .allowed:
                    #expect(!stopped, "\(key) gets through (\(tried.detail)) with \(layers.list)")
                case .notApplicable, .drivenBy: break
                }
            }
        }
    }

    /// The attacks that this machine stops without any layer: by an ordinary user's rights, limits, its own switches.
    private static func bare(_ runner: AttackRunner, _ policy: Policy) async throws -> [String: Bool] {
        var stopped: [String: Bool] = [:]
        for attack in Catalogue.attacks {
            for one in attack.tries {
                let tried = try await runner.run(one, under: policy, layers: one.least)
                switch tried.verdict {
                case .stopped: stopped["\(attack.id) \(one.name)"] = true
                case .gotThrough, .allowed, .notApplicable, .drivenBy: break
                }
            }
        }
        return stopped
    }
}
