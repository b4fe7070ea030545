import AnnexAttacks
import AnnexLaunch
import AnnexPolicy
import Foundation
import Testing

private let wanted = ProcessInfo.processInfo.environment["ANNEX_PROVE"]
private let provesAll = wanted == "all"

/// Proves the effect of each layer. Each layer is left out once and used alone once, and every attack must end as
/// predicted.
///
/// The policies are proven one after another. Only a few of the attacks that hold thousands of file locks run at
/// once. The reason is that the time to read `/proc/locks` grows with the square of the number of locks on the
/// machine.
@Suite(.serialized, .timeLimit(.minutes(provesAll ? 60 : 20))) struct ProofTests {
    /// The policies to prove. By default, a run as root proves one policy, and a run as an ordinary user proves
    /// another. These two policies differ most, and both runs happen side by side. With ANNEX_PROVE=all, the test
    /// proves all shipped policies, which takes a quarter of an hour. With ANNEX_PROVE=NAME, it proves only the
    /// policy NAME.
    static let policies = provesAll ? CatalogueTests.policies : wanted.map { [$0] } ?? usual
    private static let usual =
        getuid() == 0 ? ["tool"] : ["com.apple.share-services+com.apple.security.network.client"]
    /// The number of combinations that are tried at once. Each combination has a launcher and canaries with their own
    /// descriptors.
    static let atOnce = 8
    static let combinations =
        LayersTests.single.map { SandboxLayers.all.subtracting($0) } + LayersTests.single
    /// The combinations for the attacks that hold locks. Each such attack makes ten thousand calls that the broker
    /// answers, so all combinations take most of the time of the proof. Only the system call filter stops these attacks.
    /// So by default, the test tries the filter and one other layer.
    static let lockingCombinations =
        wanted == nil
        ? combinations.filter { one in
            let layers = [SandboxLayers.seccomp, .landlock]
            return layers.contains { one == $0 || one == SandboxLayers.all.subtracting($0) }
        } : combinations

    @Test(arguments: policies) func `each layer stops exactly the attacks that the table predicts`(_ name: String)
        async throws
    {
        let policy = try provesAll ? Policy.shipped(named: name) : CatalogueTests.policy(named: name)
        let bare = try await Self.bare(try AttackRunner(), policy)
        async let locking: Void = Self.proveEach(
            Self.locking, under: policy, with: Self.lockingCombinations, bare: bare, atOnce: 2)
        try await Self.proveEach(
            Self.others, under: policy, with: Self.combinations, bare: bare, atOnce: Self.atOnce)
        try await locking
    }

    private static func proveEach(
        _ attacks: [Attack], under policy: Policy, with combinations: [SandboxLayers], bare: [String: Bool], atOnce: Int
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

    /// Canaries are objects of the host that no sandbox may reach. Each trial has its own canaries, so that it does
    /// not find the remains of another trial.
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

    /// The attacks that this machine stops without any layer: by the rights of an ordinary user, by limits, or by the
    /// machine's own settings.
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
