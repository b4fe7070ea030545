/// Policy texts by name; knows how to join what they include.
public struct PolicyLibrary: Sendable {
    /// One policy's text and the file that errors about it name.
    struct Source: Sendable {
        let text: String
        let file: String
    }

    private let sources: [String: Source]

    /// - Parameter texts: each policy's YAML under its name; `base` is the text of `base.yaml`.
    public init(texts: [String: String]) {
        sources = Dictionary(uniqueKeysWithValues: texts.map { ($0, Source(text: $1, file: $0 + ".yaml")) })
    }

    private init(sources: [String: Source]) {
        self.sources = sources
    }

    /// The policies that travel inside this library; those of a directory take the place of what has their name, also
    /// for what includes them.
    ///
    /// - Parameter directory: holds `NAME.yaml` files, each a regular file that only root or the caller can write.
    /// - Throws: where the directory or a file in it is not like that, or cannot be read.
    public static func standard(overriding directory: String?) throws(PolicyError) -> PolicyLibrary {
        guard let directory else { return shipped }
        let own = try PolicyDirectory(path: directory).sources()
        return PolicyLibrary(sources: shipped.sources.merging(own) { $1 })
    }

    public var names: [String] { sources.keys.sorted() }

    /// The text of one policy, as it was written; nil where there is none of that name.
    public func text(named name: String) -> String? { sources[name]?.text }

    /// Each policy's YAML under its name.
    package var allTexts: [String: String] { sources.mapValues(\.text) }

    /// This library with more texts, in front of those of the same name.
    ///
    /// - Parameter texts: each policy's YAML under its name, with the file that errors about it name.
    package func adding(_ texts: [String: (text: String, file: String)]) -> PolicyLibrary {
        PolicyLibrary(sources: sources.merging(texts.mapValues { Source(text: $0.text, file: $0.file) }) { $1 })
    }

    /// This library with the policies of a directory in front, as far as they can be used: for a file that includes its
    /// neighbours.
    package func adding(neighboursIn directory: String) -> PolicyLibrary {
        PolicyLibrary(sources: sources.merging(PolicyDirectory(path: directory).neighbours()) { $1 })
    }

    /// The policy of that name with all its includes joined in.
    ///
    /// Every file counts once, includes before what includes them. What a file says about a call replaces all that
    /// earlier files say about it; so does each other section and each limit. Granted paths add up; of one path the last
    /// file decides.
    public func policy(
        named name: String, for architecture: Architecture = .current
    ) throws(PolicyError) -> Policy {
        try Policy(joining: documents(ofPolicy: name, for: architecture), architecture: architecture)
    }

    /// The files that a policy is made of, includes first; the last is the policy's own.
    func documents(
        ofPolicy name: String, for architecture: Architecture
    ) throws(PolicyError) -> [PolicyDocument] {
        var joined: [PolicyDocument] = []
        try collect(name, askedAt: nil, architecture, above: [], into: &joined)
        return joined
    }

    /// Every mistake in the text of that name itself, and none of what it includes.
    func mistakes(in name: String, for architecture: Architecture) -> [PolicyError] {
        guard let source = sources[name] else { return [] }
        return PolicyMistakes(text: source.text, file: source.file, architecture: architecture).all
    }

    private func collect(
        _ name: String, askedAt place: PolicyPlace?, _ architecture: Architecture, above: [String],
        into joined: inout [PolicyDocument]
    ) throws(PolicyError) {
        guard !above.contains(name) else {
            throw PolicyError("includes itself: \((above + [name]).joined(separator: " → "))", at: place)
        }
        guard !joined.contains(where: { $0.name == name }) else { return }
        guard let source = sources[name] else {
            throw PolicyError(
                "unknown policy `\(name)`", at: place, suggestion: NearestName.of(name, among: sources.keys))
        }
        let document = try PolicyDocument(text: source.text, file: source.file, architecture: architecture)
        for include in document.includes {
            try collect(include.name, askedAt: include.place, architecture, above: above + [name], into: &joined)
        }
        joined.append(document)
    }
}
