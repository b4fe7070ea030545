internal import AnnexPolicy
internal import AnnexRegistry
internal import Synchronization

/// The policy of each extension point with each set of entitlements, with the limits of the point. A policy that was
/// read is kept, because reading a policy takes longer than most steps of a launch.
final class PointPolicies: Sendable {
    private let known = Mutex<[String: Policy]>([:])

    /// The most policies that are kept. The number must be bounded, because bundles choose sets of entitlements and
    /// hosts add their own points.
    private static let most = 512

    func policy(
        of point: ExtensionPoint, with entitlements: [String], _ wishes: BrokerConfiguration
    ) throws(PolicyError) -> Policy {
        let key = JoinedName(policy: point.identifier, fragments: entitlements).joined
        if let policy = known.withLock({ $0[key] }) { return policy }
        let name = JoinedName(policy: point.policy, fragments: entitlements).joined
        let policy = try point.limiting(wishes.policy(named: name))
        known.withLock { known in
            if known.count >= Self.most { known.removeAll() }
            known[key] = policy
        }
        return policy
    }
}
