package import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexLaunch
package import AnnexPolicy
package import AnnexRegistry
internal import AnnexShippedPolicies
package import AnnexSigning
internal import Glibc

/// A host's settings for its broker. The settings override the policies.
package struct BrokerConfiguration: Sendable {
    /// The extension points that extensions may name.
    package var points = PointLibrary.shipped
    /// The policies that the points may name. If this is nil, the points may name the shipped policies.
    package var policies: PolicyLibrary?
    /// How many extensions may run at once for one extension point. If this is nil, the point's own number applies.
    package var instances: Int?
    /// The shortest time limit for a launch, a request and the watchdog. If a policy's limit is shorter, the broker
    /// uses this value instead, and raises the limit of processor time by the same factor.
    package var patience = Duration.zero
    /// Whether an extension that fails again and again must pause before its next launch.
    package var holdsBack = true
    /// Where the broker keeps its reports on the ends of extensions.
    package var reports = ReportLocation.nowhere
    /// Where the broker keeps private directories; nil if it keeps none. A broker that keeps none does not
    /// launch an extension whose policy gives it a private directory.
    package var privateDirectories: PrivateLocation?
    /// The limits for all extensions together. If this is nil, only the policies limit the extensions.
    package var share: BrokerShare?
    /// The name of the broker's user, for the log of a program that runs brokers of several users; nil in other
    /// programs.
    package var user: String?
    /// The number of the broker's user. The files in app groups belong to this user.
    package var owner: UInt32 = geteuid()
    /// The socket of the machine's daemon that this broker belongs to. The apps that the broker starts get this path.
    /// It is nil if the broker belongs to no daemon, or if the socket is the standard socket.
    package var daemon: String?
    /// Whether the broker belongs to the daemon `annexd`, which leaves out no layer.
    package var isOfDaemon = false
    /// The socket of the daemon that this broker belongs to, if the daemon serves one user. The apps that the broker
    /// starts get this path, for their background transfers. It is nil if the broker belongs to no such daemon.
    package var ownDaemon: String?
    /// How the broker keeps background transfers; nil if it keeps none.
    package var transfers: TransferKeeping?
    /// The teams that the user trusts. If this is nil, the broker makes a list that is empty at first and lives as long
    /// as the broker.
    package var trust: TrustStore?
    /// Changes the limits of every policy, after all other settings.
    package var adjust: @Sendable (inout PolicyLimits) -> Void = { _ in }

    package init() {}

    /// Adds the host's own extension points and policies. Also compiles the policy of each point, so that no mistake is
    /// found only at a launch.
    ///
    /// - Parameters:
    ///   - points: a directory of extension points; nil for none.
    ///   - policies: a directory of policies; nil for none.
    /// - Throws: `invalidPoint` or `invalidPolicy`, with the place of the first mistake.
    package mutating func read(points: String?, policies: String?) throws(BrokerError) {
        if let policies {
            do throws(PolicyError) {
                self.policies = try PolicyLibrary.standard(overriding: policies)
            } catch {
                throw BrokerError(.invalidPolicy, for: error, in: policies)
            }
        }
        if let points {
            do throws(PolicyError) {
                self.points = try PointLibrary(adding: points)
                try self.points.check(policies: self.policies ?? .shipped)
            } catch {
                throw BrokerError(.invalidPoint, for: error, in: points)
            }
        }
        guard let folder = policies ?? points else { return }
        do throws(PolicyError) {
            try checkOwnPolicies()
            for name in self.points.names { try compilePolicies(ofPoint: name) }
        } catch {
            throw BrokerError(.invalidPolicy, for: error, in: folder)
        }
    }

    /// Checks the texts of the host's own policies. This covers also policies that no point names.
    private func checkOwnPolicies() throws(PolicyError) {
        guard let policies else { return }
        for name in policies.names where policies.text(named: name) != PolicyLibrary.shipped.text(named: name) {
            if let mistake = policies.mistakes(in: name, for: .current).first { throw mistake }
        }
    }

    /// Compiles the policy of a point. For the host's own points, also the policies with the entitlements of the point
    /// are compiled.
    private func compilePolicies(ofPoint name: String) throws(PolicyError) {
        guard let point = points.point(name), points.isOwn(name) || policies != nil else { return }
        var sets = [point.defaultEntitlements]
        if points.isOwn(name) {
            sets += point.allowedEntitlements.map { point.defaultEntitlements + [$0] }
            sets.append(point.defaultEntitlements + point.allowedEntitlements)
        }
        for set in sets {
            let joined = JoinedName(policy: point.policy, fragments: set.map(\.rawValue)).joined
            _ = try point.limiting(policy(named: joined)).filter()
        }
    }

    func policy(named name: String) throws(PolicyError) -> Policy {
        guard let policies else { return try Policy.compiledAhead(named: name) }
        return try Policy.compiledAhead(named: name, from: policies)
    }

    func apply(to limits: inout PolicyLimits) {
        limits.loosen(time: patience)
        if let instances { limits.instances = max(1, instances) }
        adjust(&limits)
    }
}

/// The limits for all extensions of one broker together, in addition to the limits of each policy.
package struct BrokerShare: Sendable, Hashable {
    /// The name of the control group that holds these limits.
    package var name: String
    /// The most memory in bytes.
    package var memory: UInt64
    /// The most processes and threads together.
    package var processes: Int
    /// The weights for processors and disks. They apply when other programs compete for the same resource. A program
    /// without its own weight has the weight 100.
    package var processorWeight: Int
    package var diskWeight: Int

    package init(name: String, memory: UInt64, processes: Int, processorWeight: Int, diskWeight: Int) {
        self.name = name
        self.memory = memory
        self.processes = processes
        self.processorWeight = processorWeight
        self.diskWeight = diskWeight
    }

    var group: GroupShare {
        GroupShare(
            name: name, memory: memory, processes: UInt64(max(1, processes)), processorWeight: processorWeight,
            diskWeight: diskWeight)
    }
}

extension BrokerError {
    /// - Parameter directory: the path to name in the error's text if the error itself names no place.
    fileprivate init(_ code: Code, for error: PolicyError, in directory: String) {
        // An error about the directory itself begins with the directory's path.
        let prefix = directory + ": "
        let what = error.problem.hasPrefix(prefix) ? String(error.problem.dropFirst(prefix.count)) : error.problem
        self.init(
            code, what: what, place: error.place.map { "\($0)" } ?? directory,
            remedy: error.suggestion.map { "did you mean `\($0)`?" })
    }
}
