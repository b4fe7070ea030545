/// A policy: the rights and limits of one kind of program. It is read from YAML text, with all includes joined in.
///
/// Annex makes every layer from this one value: the seccomp filter, the mounts, the limits and the environment.
public struct Policy: Sendable, Hashable {
    /// The policy's name, for example `com.apple.photo-editing`. If entitlements were joined in, their names follow,
    /// each after a `+`.
    public internal(set) var name: String
    /// One sentence that describes the policy to people.
    public let summary: String
    /// The architecture whose system calls the rules are about.
    public let architecture: Architecture
    public package(set) var limits: PolicyLimits
    public internal(set) var paths: PolicyPaths
    /// The device nodes that the sandbox contains.
    public internal(set) var devices: [PolicyDevice]
    public internal(set) var network: PolicyNetwork
    /// The machines to which the process may connect, with `network: hosts`.
    public internal(set) var hosts: HostRules
    /// Whether memory that was ever writable can never become executable.
    public internal(set) var writeXorExecute: Bool
    public internal(set) var environment: PolicyEnvironment

    var book: RuleBook

    /// The answers to calls without a rule.
    package var unlisted: UnlistedCalls { book.contents.unlisted }
    /// The place in the text that states each section.
    package var places: [PolicySection: PolicyPlace] { book.contents.places }

    /// The rules for each call that the policy mentions, by call number. The first rule that applies decides.
    package var rules: [Int32: [CallRule]] {
        get { book.contents.rules }
        set {
            var contents = book.contents
            contents.rules = newValue
            book = RuleBook(contents)
        }
    }

    /// The rules for the calls that `write-xor-execute` narrowed, as the policy's text states them. Only reports use
    /// these wider rules, and decisions never do.
    package var widerRules: [Int32: [CallRule]] { book.contents.wider }

    /// The names of the calls that a rule allows, together with the calls that every launch needs.
    public var allowedCalls: [String] {
        let allowed = rules.values.filter { $0.contains { $0.answer == .allow } }.compactMap(\.first?.call)
        return Set(allowed).union(LaunchCalls.names).union([LaunchCalls.exec]).sorted()
    }
}

extension Policy {
    /// This policy with additional paths. The caller is responsible for these paths.
    ///
    /// If the path or a directory above it is already granted, the path gets the rights of both grants. So a new grant
    /// removes no right, with one exception.
    ///
    /// The exception: if a new grant states `execute` and not `write` for a path below a granted directory, the path is
    /// not writable. In other cases, if neither grant by itself states both, the path is not executable. This holds
    /// whatever the policy says about memory (`write-xor-execute`).
    package func granting(_ grants: [PathGrant]) -> Policy {
        var policy = self
        for grant in grants { policy.paths.add(grant) }
        return policy
    }

    /// This policy with additional machines to connect to. The caller is responsible for them.
    package func allowing(_ rules: [HostRule]) -> Policy {
        var policy = self
        policy.hosts.add(rules)
        return policy
    }

    /// This policy with the paths that were found for its grants of the caller's places. They come before other grants
    /// that a caller adds, so that a wider one does not widen them.
    package func finding(_ found: [PathGrant]) -> Policy {
        var policy = granting(found)
        policy.paths.callersGrants = []
        policy.paths.repositories = .none
        return policy
    }

    /// This policy with every denial reported. A sandbox that reports denied calls but performs them needs this policy,
    /// because its filter must not deny a call by itself.
    package func reportingEachDenial() -> Policy {
        var policy = self
        policy.rules = rules.mapValues { $0.map(\.reported) }
        return policy
    }

    /// Whether one of the policy's own rules allows a call. A call that is allowed only because every launch needs it
    /// does not count. For example, the filter itself allows the `execveat` of the launch. A later call of the same
    /// form is an attack.
    package func allowsByRule(number: Int32, arguments: [UInt64]) -> Bool {
        guard SystemCall(number: number, architecture: architecture) != nil else { return false }
        return rules[number]?.first { $0.applies(to: arguments) }?.answer == .allow
    }
}

extension Policy {
    /// Whether a rule of the policy denies the call by name (`refuse`). Any other denied call is denied because no
    /// rule allows it.
    package func statesDenial(number: Int32, arguments: [UInt64]) -> Bool {
        if case .deny = rules[number]?.first(where: { $0.applies(to: arguments) })?.answer { true } else { false }
    }

    /// Whether a rule of the policy denies some calls of this name and reports them (`report: on`).
    package func reportsDenial(of call: SystemCall) -> Bool {
        rules[call.number]?.contains { rule in
            if case .deny(_, reported: true) = rule.answer { true } else { false }
        } ?? false
    }
}

extension PolicyPaths {
    /// Adds grants of the caller's places. A later grant of the same path replaces an earlier one.
    mutating func add(_ grants: [CallersGrant]) {
        for grant in grants {
            callersGrants.removeAll { PathText.isSame($0.pattern, as: grant.pattern) }
            callersGrants.append(grant)
        }
    }

    fileprivate mutating func add(_ grant: PathGrant) {
        let nearest = grants.last { PathText.isPath(grant.path, within: $0.path) }
        let rights = nearest.map { grant.rights(below: $0) } ?? grant.rights
        let replaced = grants.last { PathText.isSame($0.path, as: grant.path) }
        grants.removeAll { PathText.isSame($0.path, as: grant.path) }
        grants.append(
            PathGrant(
                path: grant.path, rights: rights, isOptional: grant.isOptional, reason: grant.reason,
                stated: grant.stated, namedIn: grant.namedIn ?? replaced?.namedIn,
                kind: grant.kind == .any ? replaced?.kind ?? .any : grant.kind
            ).withoutCredentials(grant.isWithoutCredentials || replaced?.isWithoutCredentials == true))
        grants.sort { PathText.isPath($0.path, before: $1.path) }
    }
}

extension PathGrant {
    /// The rights of this grant, joined with the rights of the nearest grant that contains its path.
    fileprivate func rights(below nearest: PathGrant) -> PathRights {
        var joined = rights.union(nearest.rights)
        // A place that may only be executed is protected from the program, also if the program may change and execute
        // everything around it.
        let isProtected = rights.contains(.execute) && !PathText.isSame(path, as: nearest.path)
        let isStated = rights.isWritableCode || nearest.rights.isWritableCode && !isProtected
        guard joined.isWritableCode, !isStated else { return joined }
        joined.remove(isProtected ? .write : .execute)
        return joined
    }
}

extension CallRule {
    /// The same rule, but a denial is always reported.
    var reported: CallRule {
        guard case .deny(let errno, reported: false) = answer else { return self }
        return CallRule(
            call: call, conditions: conditions, answer: .deny(errno: errno, reported: true), reason: reason,
            place: place)
    }
}

/// The parts of a policy. Each part is stated in one place.
package enum PolicySection: Sendable, Hashable {
    case bundle, privateDirectory, processFiles, etcFiles, devices, network, writeXorExecute, environment
    case limit(LimitName)
}

/// A device node that a policy may list. No such node gives access to hardware.
public enum PolicyDevice: String, Sendable, Hashable, CaseIterable {
    case null, zero, full, random, urandom

    /// The device's path on the host and inside the sandbox, for example `/dev/null`.
    public var path: String { "/dev/" + rawValue }
}

/// The network access of a process.
public enum PolicyNetwork: String, Sendable, Hashable, CaseIterable {
    /// The sandbox's own network namespace, without any interface.
    case none
    /// The sandbox's own network namespace, with its loopback as the only interface.
    case loopback
    /// The sandbox's own network namespace with its loopback, and connections to the machines that the policy names
    /// (`HostRules`). The broker resolves the names and makes each connection.
    case hosts
    /// The host's network, but only for connections that the process begins to other machines. The broker makes each
    /// connection. So every rule that allows `connect` must state `bounded: connections`.
    case client
    /// The whole network of the host.
    case host

    /// Whether the sandbox has its own network namespace.
    package var isOwn: Bool { self == .none || hasOwnLoopback }

    /// Whether the sandbox's own network namespace has a loopback.
    package var hasOwnLoopback: Bool { self == .loopback || self == .hosts }

    /// Whether the process makes TCP connections without the broker, so that Landlock lets TCP through.
    package var connectsItself: Bool { self == .loopback || self == .host }
}

/// The environment with which an extension starts. No other variables are passed on.
public struct PolicyEnvironment: Sendable, Hashable {
    /// The names of variables whose values come from the host.
    public internal(set) var passed: [String] = []
    /// The names of variables with fixed values.
    public package(set) var fixed: [String: String] = [:]

    package init(passed: [String] = [], fixed: [String: String] = [:]) {
        self.passed = passed
        self.fixed = fixed
    }
}
