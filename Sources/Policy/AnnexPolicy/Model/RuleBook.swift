internal import Glibc
internal import Synchronization

/// The rules of a policy about calls, and the places of its statements. If the policy was compiled ahead, they are read
/// from its text on first use.
///
/// A launch under such a policy needs only the filter. The rules and places are needed to explain decisions.
final class RuleBook: Sendable {
    struct Contents: Sendable, Hashable {
        var rules: [Int32: [CallRule]] = [:]
        var wider: [Int32: [CallRule]] = [:]
        var unlisted: UnlistedCalls
        var places: [PolicySection: PolicyPlace] = [:]
    }

    /// The filter that was compiled ahead from these rules; nil if there is none.
    let filter: SeccompFilter?
    private let known: Mutex<Contents?>
    private let read: @Sendable () -> Contents

    init(_ contents: Contents) {
        filter = nil
        known = Mutex(contents)
        read = { contents }
    }

    /// - Parameter read: returns the rules from which `filter` was compiled. It is called at most once.
    init(filter: SeccompFilter?, read: @escaping @Sendable () -> Contents) {
        self.filter = filter
        known = Mutex(nil)
        self.read = read
    }

    var contents: Contents {
        known.withLock { known in
            if let known { return known }
            let contents = read()
            known = contents
            return contents
        }
    }

    /// This book with another place for a section. Nothing is read before it is needed.
    func stating(_ section: PolicySection, at place: PolicyPlace) -> RuleBook {
        RuleBook(filter: filter) {
            var contents = self.contents
            contents.places[section] = place
            return contents
        }
    }
}

extension RuleBook: Hashable {
    static func == (one: RuleBook, other: RuleBook) -> Bool {
        one === other || one.contents == other.contents
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(contents)
    }
}

extension Policy {
    /// Creates a shipped policy from the values that were read from its text when the policy was compiled.
    ///
    /// - Parameter filter: the filter that was compiled and checked at that time. If it is nil, the filter is compiled
    ///   on first use.
    package init(
        shipped name: String, summary: String, architecture: Architecture, limits: PolicyLimits, paths: PolicyPaths,
        devices: [PolicyDevice], network: PolicyNetwork, hosts: HostRules, writeXorExecute: Bool,
        environment: PolicyEnvironment,
        filter: SeccompFilter?
    ) {
        // Reading cannot fail, because the same text was read when the policy was compiled. If reading failed
        // nevertheless, the policy would have no rules and so refuse every call.
        let read: @Sendable () -> Policy? = { try? Policy.shipped(named: name, for: architecture) }
        self.name = name
        self.summary = summary
        self.architecture = architecture
        self.limits = limits
        self.paths = paths
        self.paths.grants = paths.grants.map { grant in
            PathGrant(
                path: grant.path, rights: grant.rights, isOptional: grant.isOptional, reason: grant.reason,
                stated: StatedPlace(read()?.paths.grants.first { $0.path == grant.path }?.place))
        }
        self.devices = devices
        self.network = network
        self.hosts = hosts
        self.writeXorExecute = writeXorExecute
        self.environment = environment
        book = RuleBook(filter: filter) {
            read()?.book.contents
                ?? RuleBook.Contents(
                    unlisted: UnlistedCalls(
                        known: EPERM, unknown: ENOSYS, place: PolicyPlace(file: name + ".yaml", line: 1, column: 1)))
        }
    }
}
