/// A collection of policy texts by name. It joins a policy with the texts that the policy includes.
public struct PolicyLibrary: Sendable {
    /// One policy's text, and the file name that errors in this text state.
    struct Source: Sendable {
        let text: String
        let file: String
    }

    private let sources: [String: Source]
    /// The texts of the fragments by name. A fragment holds the additions to a policy for one entitlement, or for one
    /// allowance of `annex run --allow`. If a fragment belongs to an entitlement, its name is the entitlement's
    /// identifier.
    let sourcesOfFragments: [String: Source]

    /// - Parameters:
    ///   - texts: each policy's YAML under its name. For example, `base` is the text of `base.yaml`.
    ///   - fragments: the YAML of each fragment under its name.
    public init(texts: [String: String], fragments: [String: String] = [:]) {
        sources = Dictionary(uniqueKeysWithValues: texts.map { ($0, Source(text: $1, file: $0 + ".yaml")) })
        sourcesOfFragments = Dictionary(
            uniqueKeysWithValues: fragments.map { name, text in
                let folder = PolicyFragment.isIdentifier(name) ? "entitlements" : "allowances"
                return (name, Source(text: text, file: "\(folder)/\(name).yaml"))
            })
    }

    /// Creates a library of these policies and fragments.
    private init(sources: [String: Source], sourcesOfFragments: [String: Source]) {
        self.sources = sources
        self.sourcesOfFragments = sourcesOfFragments
    }

    /// The policies that this library contains, together with the policies of a directory. A policy of the directory
    /// replaces the policy of the same name, even where other policies include it.
    ///
    /// - Parameter directory: a directory of `NAME.yaml` files; nil if there is none. The directory and each file must
    ///   belong to root or the caller, and must not be writable by every user. Each file must be a regular file.
    /// - Throws: an error if the directory or a file in it cannot be read, or does not fulfil these conditions.
    public static func standard(overriding directory: String?) throws(PolicyError) -> PolicyLibrary {
        guard let directory else { return shipped }
        let own = try PolicyDirectory(path: directory).sources()
        return PolicyLibrary(
            sources: shipped.sources.merging(own) { $1 }, sourcesOfFragments: shipped.sourcesOfFragments)
    }

    /// The names of all policies, sorted.
    public var names: [String] { sources.keys.sorted() }

    /// The text of one policy as it was written; nil if there is no policy of that name.
    public func text(named name: String) -> String? { sources[name]?.text }

    /// Each policy's YAML under its name.
    package var allTexts: [String: String] { sources.mapValues(\.text) }

    /// This library with more texts. Each of these texts replaces the library's text of the same name.
    ///
    /// - Parameter texts: each policy's YAML under its name, with the file name that errors in the YAML state.
    package func adding(_ texts: [String: (text: String, file: String)]) -> PolicyLibrary {
        let more = texts.mapValues { Source(text: $0.text, file: $0.file) }
        return PolicyLibrary(sources: sources.merging(more) { $1 }, sourcesOfFragments: sourcesOfFragments)
    }

    /// This library with the usable policies of a directory. A policy of the directory replaces the library's policy of
    /// the same name. With the returned library, a policy file can include other policies of its own directory.
    package func adding(neighboursIn directory: String) -> PolicyLibrary {
        let more = PolicyDirectory(path: directory).neighbours()
        return PolicyLibrary(sources: sources.merging(more) { $1 }, sourcesOfFragments: sourcesOfFragments)
    }

    /// The policy of that name with all its includes joined in.
    ///
    /// Each file is joined once, and includes come before the files that include them. If a file states rules about a
    /// call, these rules replace all rules of earlier files about that call. In the same way, each other section and
    /// each limit replaces the same section or limit of earlier files. Granted paths add up. If two files grant the
    /// same path, the last file decides.
    ///
    /// - Parameters:
    ///   - name: a policy's name, or `NAME+FRAGMENT…` for the policy with the additions of these entitlements and
    ///     allowances.
    ///   - architecture: the processor whose calls the policy names.
    /// - Throws: an error if there is no such policy or entitlement, or if the policy or one of its includes cannot be
    ///   used.
    public func policy(
        named name: String, for architecture: Architecture = .current
    ) throws(PolicyError) -> Policy {
        if let joined = try joinedNames(name) {
            return try policy(named: joined.policy, for: architecture)
                .joined(with: fragments(of: joined, for: architecture))
        }
        return try Policy(joining: documents(ofPolicy: name, for: architecture), architecture: architecture)
    }

    /// The files from which a policy is made. Includes come first. The last file is the policy's own file.
    func documents(
        ofPolicy name: String, for architecture: Architecture
    ) throws(PolicyError) -> [PolicyDocument] {
        var joined: [PolicyDocument] = []
        try collect(name, askedAt: nil, for: architecture, above: [], into: &joined)
        return joined
    }

    /// Every mistake in the text of this policy. Mistakes in the policy's includes and entitlements are left out.
    package func mistakes(in name: String, for architecture: Architecture) -> [PolicyError] {
        let name = names.contains(name) ? name : JoinedName(name).policy
        guard let source = sources[name] else { return [] }
        return PolicyMistakes(text: source.text, file: source.file) { root throws(PolicyError) in
            _ = try PolicyDocument(root: root, architecture: architecture)
        }.all
    }

    private func unknownPolicy(_ name: String, at place: PolicyPlace?) -> PolicyError {
        let nearest = NearestName.of(name, among: sources.keys)
        // The list leaves out the policies of extension points, because they have the long names of their points.
        let known = sources.keys.filter { !$0.contains(".") }.sorted().joined(separator: ", ")
        let list = nearest == nil && place == nil && !known.isEmpty ? "; known are: \(known)" : ""
        return PolicyError("unknown policy `\(name)`\(list)", at: place, suggestion: nearest)
    }

    private func collect(
        _ name: String, askedAt place: PolicyPlace?, for architecture: Architecture, above: [String],
        into joined: inout [PolicyDocument]
    ) throws(PolicyError) {
        guard !above.contains(name) else {
            throw PolicyError("the policy includes itself: \((above + [name]).joined(separator: " → "))", at: place)
        }
        guard !joined.contains(where: { $0.name == name }) else { return }
        guard let source = sources[name] else {
            throw unknownPolicy(name, at: place)
        }
        let document = try PolicyDocument(text: source.text, file: source.file, architecture: architecture)
        for include in document.includes {
            try collect(include.name, askedAt: include.place, for: architecture, above: above + [name], into: &joined)
        }
        joined.append(document)
    }
}

extension PolicyLibrary {
    /// Whether another library has the same texts for a policy: the policy's own text, the texts that it includes, and
    /// the texts of its fragments.
    ///
    /// - Throws: an error if this library has no such policy, or if one of these texts cannot be used.
    package func hasTexts(ofPolicy name: String, in other: PolicyLibrary) throws(PolicyError) -> Bool {
        let names = try joinedNames(name) ?? JoinedName(policy: name, fragments: [])
        let documents = try documents(ofPolicy: names.policy, for: .current)
        return documents.allSatisfy { text(named: $0.name) == other.text(named: $0.name) }
            && names.fragments.allSatisfy { text(ofFragment: $0) == other.text(ofFragment: $0) }
    }
}
