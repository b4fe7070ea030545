import AnnexPolicy
internal import AnnexPolicyTools
import AnnexRegistry

/// Finds mistakes in the file of an extension point, and statements that allow more than extensions should get.
struct PointLint {
    let point: ExtensionPoint
    let policies: PolicyLibrary

    /// Every finding about a file.
    ///
    /// - Parameters:
    ///   - library: the other extension points. The point of the checked file is not among them.
    static func findings(
        in text: String, file: String, library: PointLibrary, policies: PolicyLibrary
    ) -> [PolicyFinding] {
        let mistakes = ExtensionPoint.mistakes(in: text, file: file)
        guard mistakes.isEmpty else { return mistakes.map { PolicyFinding($0) } }
        do throws(PolicyError) {
            let point = try ExtensionPoint(text: text, file: file)
            _ = try library.adding(point)
            guard policies.names.contains(point.policy) else { return [unknownPolicy(of: point, among: policies)] }
            return try PointLint(point: point, policies: policies).findings()
        } catch {
            return [PolicyFinding(error)]
        }
    }

    private static func unknownPolicy(of point: ExtensionPoint, among policies: PolicyLibrary) -> PolicyFinding {
        let nearest = NearestName.of(point.policy, among: policies.names).map { "did you mean `\($0)`? " } ?? ""
        return PolicyFinding(
            "unknown policy `\(point.policy)`", at: point.places["policy"],
            remedy: "\(nearest)if it is your own, name the folder that contains it: --policies FOLDER", severity: .error
        )
    }

    /// - Throws: an error if the point's policy cannot be used.
    func findings() throws(PolicyError) -> [PolicyFinding] {
        let policy = try point.limiting(policies.policy(named: point.policy))
        _ = try policy.filter()
        return weakness(of: policy) + callersPlaces(of: policy) + doubtfulLimits(policy.limits)
    }

    /// Reports paths that depend on the caller of `annex run`. No extension starts under such a policy.
    private func callersPlaces(of policy: Policy) -> [PolicyFinding] {
        guard !policy.paths.callersGrants.isEmpty || policy.paths.repositories != .none else { return [] }
        return [
            PolicyFinding(
                "the policy `\(point.policy)` has places of the caller, so no extension starts under it",
                at: point.places["policy"], remedy: "name a policy without `~/…`, `$NAME` and `repositories`",
                severity: .error)
        ]
    }

    /// Reports rights that the policy gives, but that an extension should not have. Extensions may be hostile, and
    /// each bundle itself chooses the point of its extension.
    private func weakness(of policy: Policy) -> [PolicyFinding] {
        var gifts: [String] = []
        if policy.limits.processes > 1 { gifts.append("\(policy.limits.processes) processes and threads") }
        if policy.network != .none { gifts.append("a network") }
        if !policy.devices.isEmpty { gifts.append("devices") }
        if !policy.paths.grants.isEmpty { gifts.append("paths outside the bundle") }
        if policy.paths.processFiles != .none { gifts.append("files of /proc") }
        if !policy.writeXorExecute { gifts.append("memory that was written and can become code") }
        guard !gifts.isEmpty else { return [] }
        return [
            PolicyFinding(
                "the policy `\(point.policy)` gives extensions \(gifts.joined(separator: ", "))",
                at: point.places["policy"],
                remedy: "name a policy for extensions, such as compute, resources or workspace", severity: .warning)
        ]
    }

    private func doubtfulLimits(_ limits: PolicyLimits) -> [PolicyFinding] {
        let checks: [(isDoubtful: Bool, problem: String, remedy: String)] = [
            (
                limits.launch > .seconds(10), "a host waits up to \(Quantity.text(time: limits.launch)) for a launch",
                "state a `launch` of a few seconds"
            ),
            (
                limits.watchdog > limits.request, "the watchdog is longer than a request may last, so it never acts",
                "state a `watchdog` below `request`"
            ),
            (
                limits.grace > .seconds(30),
                "an extension may live \(Quantity.text(time: limits.grace)) after its host is done with it",
                "state a `grace` of a few seconds"
            ),
            (
                limits.memory > 4 << 30, "one extension may use \(Quantity.text(bytes: limits.memory)) of memory",
                "state a smaller `memory`"
            ),
            (
                limits.instances > 256, "\(limits.instances) extensions may run at once",
                "state fewer `instances`"
            ),
        ]
        return checks.filter(\.isDoubtful).map { check in
            PolicyFinding(
                check.problem, at: point.places["limits"] ?? point.places["policy"], remedy: check.remedy,
                severity: .warning)
        }
    }
}
