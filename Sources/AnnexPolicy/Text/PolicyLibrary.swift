/// Policy texts by name; knows how to join what they include.
public struct PolicyLibrary: Sendable {
    private let texts: [String: String]

    /// - Parameter texts: each policy's YAML under its name; `base` is the text of `base.yaml`.
    public init(texts: [String: String]) {
        self.texts = texts
    }

    public var names: [String] { texts.keys.sorted() }

    /// The policy of that name with all its includes joined in.
    ///
    /// Every file counts once, includes before what includes them. What a file says about a call replaces all that
    /// earlier files say about it; so do its bundle rights, private directory, network, environment and each limit.
    public func policy(
        named name: String, for architecture: Architecture = .current
    ) throws(PolicyError) -> Policy {
        var joined: [PolicyDocument] = []
        try collect(name, askedAt: nil, architecture, above: [], into: &joined)
        return try Policy(joining: joined, architecture: architecture)
    }

    private func collect(
        _ name: String, askedAt place: PolicyPlace?, _ architecture: Architecture, above: [String],
        into joined: inout [PolicyDocument]
    ) throws(PolicyError) {
        guard !above.contains(name) else {
            throw PolicyError("includes itself: \((above + [name]).joined(separator: " → "))", at: place)
        }
        guard !joined.contains(where: { $0.name == name }) else { return }
        guard let text = texts[name] else {
            throw PolicyError(
                "unknown policy `\(name)`", at: place, suggestion: NearestName.of(name, among: texts.keys))
        }
        let document = try PolicyDocument(text: text, file: name + ".yaml", architecture: architecture)
        for include in document.includes {
            try collect(include.name, askedAt: include.place, architecture, above: above + [name], into: &joined)
        }
        joined.append(document)
    }
}
