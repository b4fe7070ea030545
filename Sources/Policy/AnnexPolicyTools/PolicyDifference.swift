public import AnnexPolicy

/// The differences between two policies. Annex finds them by comparing the answers of both policies, so they are as
/// exact as these answers.
public struct PolicyDifference: Sendable {
    /// One call that the two policies answer differently.
    struct Call: Sendable, Hashable {
        let call: SystemCall
        /// Register values that only the first policy allows.
        let onlyFirst: [[UInt64]]
        let onlySecond: [[UInt64]]
        /// Register values that both policies refuse, in different ways.
        let otherwise: [[UInt64]]
    }

    /// One path, with the rights that only one of the two policies gives.
    struct Path: Sendable, Hashable {
        let path: String
        let onlyFirst: PathRights
        let onlySecond: PathRights
        /// Whether both policies refuse the path, but with different errors. For example, the path exists under only
        /// one of them.
        let isOtherwise: Bool
    }

    /// A statement that does not concern calls or paths.
    struct Fact: Sendable, Hashable {
        let title: String
        let first: String
        let second: String
        /// The policy that allows more by this statement; nil if neither policy allows more.
        let wider: Side?
    }

    enum Side: Sendable, Hashable { case first, second }

    public let first: Policy
    public let second: Policy
    let calls: [Call]
    let paths: [Path]
    let facts: [Fact]

    /// Finds the differences between two policies.
    ///
    /// - Throws: an error if the policies are for different architectures.
    public init(between first: Policy, and second: Policy) throws(PolicyError) {
        guard first.architecture == second.architecture else {
            throw PolicyError("the two policies are about different architectures")
        }
        self.first = first
        self.second = second
        calls = Self.calls(between: first, and: second)
        paths = Self.paths(between: first, and: second)
        facts = Self.facts(between: first, and: second)
    }

    /// Whether both policies give the same answers to all calls and paths, and make the same statements.
    public var isEmpty: Bool { calls.isEmpty && paths.isEmpty && facts.isEmpty }
}

extension PolicyDifference {
    /// Compares the answers to every call number, with register values near the points at which a rule of either policy
    /// changes its answer.
    private static func calls(between first: Policy, and second: Policy) -> [Call] {
        let numbers = Set(SystemCallTable.of(first.architecture).byNumber.keys).union(0..<1024)
        return numbers.sorted().compactMap { number in
            let edges = CallEdges(rules: (first.rules[number] ?? []) + (second.rules[number] ?? []))
            var lists: (first: [[UInt64]], second: [[UInt64]], otherwise: [[UInt64]]) = ([], [], [])
            for arguments in edges.arguments {
                let one = first.answer(number: number, arguments: arguments)
                let other = second.answer(number: number, arguments: arguments)
                let bounds = [first, second].map { $0.bound(number: number, arguments: arguments) }
                if one == other, one != .allow || bounds[0] == bounds[1] { continue }
                // If both policies allow the call and only one policy bounds it, the other policy allows more.
                if one == .allow, other != .allow || bounds[1] != nil {
                    lists.first.append(arguments)
                } else if other == .allow {
                    lists.second.append(arguments)
                } else {
                    lists.otherwise.append(arguments)
                }
            }
            if lists.first.isEmpty && lists.second.isEmpty && lists.otherwise.isEmpty { return nil }
            let call =
                SystemCall(number: number, architecture: first.architecture)
                ?? SystemCall(
                    name: "call \(number)", number: number, architecture: first.architecture, arguments: nil)
            return Call(
                call: call, onlyFirst: lists.first, onlySecond: lists.second, otherwise: lists.otherwise)
        }
    }

    /// Compares the answers about paths. The answers can change only at a granted path, directly below it and above it.
    private static func paths(between first: Policy, and second: Policy) -> [Path] {
        let granted = Set((first.visiblePaths + second.visiblePaths).map(\.path))
        let above = granted.flatMap(Self.parents)
        let edges = granted.union(above).union(granted.map { $0 == "/" ? "/*" : $0 + "/*" }).union(["/", "/*"])
        let found = edges.sorted().compactMap { path -> Path? in
            let rights = [PathRights.read, .write, .execute].map { right in
                (right: right, first.verdict(path: path, rights: right), second.verdict(path: path, rights: right))
            }
            let one = rights.filter { $0.1.isAllowed && !$0.2.isAllowed }.map(\.right)
            let other = rights.filter { $0.2.isAllowed && !$0.1.isAllowed }.map(\.right)
            let otherwise = rights.contains { $0.1.errno != $0.2.errno && !$0.1.isAllowed && !$0.2.isAllowed }
            if one.isEmpty && other.isEmpty && !otherwise { return nil }
            return Path(path: path, onlyFirst: PathRights(one), onlySecond: PathRights(other), isOtherwise: otherwise)
        }
        // If a directory and everything below it have the same difference, the difference is listed once.
        let byPath = Dictionary(found.map { ($0.path, $0) }) { one, _ in one }
        return found.filter { path in
            guard path.path.hasSuffix("/*") else { return true }
            guard let directory = byPath[String(path.path.dropLast(2))] else { return true }
            return directory.onlyFirst != path.onlyFirst || directory.onlySecond != path.onlySecond
        }
    }

    private static func parents(_ path: String) -> [String] {
        let parts = PathText.parts(path)
        return (0..<max(parts.count, 1) - 1).map { "/" + parts[0...$0].joined(separator: "/") }
    }

    private static func facts(between first: Policy, and second: Policy) -> [Fact] {
        let networks = PolicyNetwork.allCases.map { Optional($0) }
        var facts: [Fact] = []
        func add(_ title: String, first one: String, second other: String, wider: Side?) {
            if one != other { facts.append(Fact(title: title, first: one, second: other, wider: wider)) }
        }
        let reach = [first, second].map { networks.firstIndex(of: $0.network) ?? 0 }
        add(
            "network", first: first.network.rawValue, second: second.network.rawValue,
            wider: reach[0] > reach[1] ? .first : .second)
        for rule in first.hosts.list where !second.hosts.list.contains(rule) {
            add("host \(rule)", first: "named", second: "not named", wider: .first)
        }
        for rule in second.hosts.list where !first.hosts.list.contains(rule) {
            add("host \(rule)", first: "not named", second: "named", wider: .second)
        }
        let checks = [first, second].map { $0.network == .hosts ? $0.hosts.check.rawValue : "none" }
        add("check of the names that TLS clients call", first: checks[0], second: checks[1], wider: nil)
        let switches = [first, second].map { $0.writeXorExecute ? "on" : "off" }
        add(
            "write-xor-execute", first: switches[0], second: switches[1],
            wider: first.writeXorExecute ? .second : .first)
        let directories = [first, second].map { $0.privateFacts.joined(separator: "; ") }
        add("private directory", first: directories[0], second: directories[1], wider: nil)
        let parts = [first, second].map { $0.partFacts.joined(separator: "; ") }
        add("hidden and protected parts", first: parts[0], second: parts[1], wider: nil)
        let environments = [first, second].map { $0.environmentFacts.joined(separator: "; ") }
        add("environment", first: environments[0], second: environments[1], wider: nil)
        for (one, other) in zip(first.limits.values, second.limits.values) {
            add(
                "limit \(one.name.rawValue)", first: one.value.text, second: other.value.text,
                wider: one.value.isAbove(other.value) ? .first : .second)
        }
        return facts
    }
}

extension LimitValue {
    /// Whether this limit is larger than the other limit.
    fileprivate func isAbove(_ other: LimitValue) -> Bool {
        (bytes, time, count) > (other.bytes, other.time, other.count)
    }
}
