internal import Synchronization

/// The rules of a policy about calls. If the policy was compiled ahead, the rules are read from its text on first use.
///
/// A launch under such a policy needs only the filter. The rules are needed to explain the filter's decisions.
final class RuleBook: Sendable {
    struct Contents: Sendable, Hashable {
        var rules: [Int32: [CallRule]] = [:]
        var wider: [Int32: [CallRule]] = [:]
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
    /// Creates a shipped policy from the parts that were read from its text when the policy was compiled.
    ///
    /// - Parameter filter: the filter that was compiled and checked at that time. If it is nil, the filter is compiled
    ///   on first use.
    package init(
        shipped name: String, summary: String, architecture: Architecture, limits: PolicyLimits, paths: PolicyPaths,
        devices: [PolicyDevice], network: PolicyNetwork, writeXorExecute: Bool, environment: PolicyEnvironment,
        unlisted: UnlistedCalls, places: [PolicySection: PolicyPlace], filter: SeccompFilter?
    ) {
        self.name = name
        self.summary = summary
        self.architecture = architecture
        self.limits = limits
        self.paths = paths
        self.devices = devices
        self.network = network
        self.writeXorExecute = writeXorExecute
        self.environment = environment
        self.unlisted = unlisted
        self.places = places
        book = RuleBook(filter: filter) {
            // Reading cannot fail, because the same text was read when the policy was compiled. If reading failed
            // nevertheless, the policy would have no rules and so refuse every call.
            (try? Policy.shipped(named: name, for: architecture))?.book.contents ?? RuleBook.Contents()
        }
    }

    /// The parts of a compiled policy that `CompilePolicies` writes in addition to the policy's filter and its public
    /// properties.
    package var foundations: (unlisted: UnlistedCalls, places: [PolicySection: PolicyPlace]) { (unlisted, places) }
}
