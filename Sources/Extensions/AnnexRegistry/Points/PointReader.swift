internal import AnnexBundle
package import AnnexPolicy

extension ExtensionPoint {
    private static let keys = [
        "point", "name", "summary", "policy", "default", "open-url", "input", "entitlements", "media", "attributes",
        "messages", "limits", "replaces",
    ]
    /// The most entries of a list. A longer list is a mistake, or an attack on the programs that show it.
    private static let mostEntries = 256
    private static let longestText = 1_024

    /// Reads a point from the text of its file.
    ///
    /// - Parameter file: the file's name or path, for errors. The name must be the point's identifier followed by
    ///   `.yaml`.
    /// - Throws: the first mistake, with its line and column.
    package init(text: String, file: String) throws(PolicyError) {
        try self.init(root: PolicyNode.root(of: text, file: file))
    }

    /// Every mistake in a point's text.
    package static func mistakes(in text: String, file: String) -> [PolicyError] {
        PolicyMistakes(text: text, file: file) { root throws(PolicyError) in _ = try ExtensionPoint(root: root) }.all
    }

    private init(root: PolicyNode) throws(PolicyError) {
        let values = try root.mapping("an extension point", keys: Self.keys)
        isOnByDefault = try values["default"]?.word("default", among: DefaultState.self) != .off
        openURL = try values["open-url"]?.word("open-url", among: URLOpening.self) ?? .none
        hasPrivateInput = try values["input"]?.word("input", among: InputKind.self) == .private
        let entitlements = try values["entitlements"]?.mapping("`entitlements`", keys: ["default", "allowed"])
        defaultEntitlements = try entitlements?["default"]?.entitlements("`default`") ?? []
        allowedEntitlements = try entitlements?["allowed"]?.entitlements("`allowed`", but: defaultEntitlements) ?? []
        attributes = try values["attributes"]?.attributeKinds(most: Self.mostEntries) ?? [:]
        messages = try values["messages"]?.messageNames(most: Self.mostEntries) ?? []
        limits = try values["limits"]?.limitValues() ?? [:]
        replacesShipped = try values["replaces"]?.word("replaces", among: Replaced.self) == .shipped
        name = try Self.text("name", in: values, of: root)
        summary = try Self.text("summary", in: values, of: root)
        policy = try Self.text("policy", in: values, of: root)
        // The identifier is read last. So if it is missing, the other mistakes of the text are reported too.
        identifier = try Self.text("point", in: values, of: root)
        media = try values["media"]?.media(of: identifier) ?? []
        places = values.mapValues(\.place)
        try values["point"]?.checkIdentifier(identifier)
    }

    private enum DefaultState: String, CaseIterable { case on, off }
    private enum InputKind: String, CaseIterable { case ordinary, `private` }
    private enum Replaced: String, CaseIterable { case shipped }

    private static func text(
        _ key: String, in values: [String: PolicyNode], of root: PolicyNode
    ) throws(PolicyError) -> String {
        guard let node = values[key] else {
            throw root.error("an extension point must state `point:`, `name:`, `summary:` and `policy:`")
        }
        let text = try node.text("`\(key)`")
        guard text.utf8.count <= longestText, text.unicodeScalars.allSatisfy({ $0.properties.isShowable }) else {
            throw node.error("`\(key)` must be one line of at most \(longestText) bytes, without control characters")
        }
        return text
    }
}

extension Unicode.Scalar.Properties {
    /// Whether a terminal shows the character as itself.
    fileprivate var isShowable: Bool {
        switch generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .format: false
        default: true
        }
    }
}

extension Entitlement {
    /// The entitlements that a point may list.
    fileprivate static let listed = allCases.filter { $0 != .appSandbox }
}

/// Readers for the sections of a point.
extension PolicyNode {
    fileprivate func checkIdentifier(_ identifier: String) throws(PolicyError) {
        guard BundleIdentifier.isWellFormed(identifier), identifier.contains(".") else {
            throw error(
                "`\(identifier)` is not reverse DNS: write letters, digits and hyphens with dots between them, for "
                    + "example com.example.thumbnails")
        }
        guard place.file == identifier + ".yaml" || place.file.hasSuffix("/\(identifier).yaml") else {
            throw error(
                "the point is \(identifier), but its file is \(place.file): name the file \(identifier).yaml")
        }
    }

    fileprivate func entitlements(
        _ what: String, but others: [Entitlement] = []
    ) throws(PolicyError) -> [Entitlement] {
        let known = Entitlement.listed.map(\.rawValue)
        return try words(what) { node, name throws(PolicyError) in
            guard let entitlement = Entitlement(rawValue: name) else {
                throw node.unknown("entitlement `\(name)`", name: name, among: known)
            }
            guard entitlement != .appSandbox else {
                throw node.error("`\(name)` is always on, so it is not listed: remove it")
            }
            guard !others.contains(entitlement) else {
                throw node.error("`\(name)` is a default entitlement already: state it once")
            }
            return entitlement
        }
    }

    fileprivate func media(of point: String) throws(PolicyError) -> [Medium] {
        try words("`media`") { node, _ throws(PolicyError) in
            let medium = try node.word("medium", among: Medium.self)
            guard point == Medium.onlyPoint else {
                throw node.error("only \(Medium.onlyPoint) may claim `\(medium.rawValue)`: remove it")
            }
            return medium
        }
    }

    fileprivate func attributeKinds(most: Int) throws(PolicyError) -> [String: AttributeKind] {
        let entries = try entries("`attributes`")
        guard entries.count <= most else { throw error("the point has more than \(most) attributes") }
        var kinds: [String: AttributeKind] = [:]
        for entry in entries {
            guard entry.name.utf8.count <= 128, entry.name.unicodeScalars.allSatisfy({ $0.properties.isShowable })
            else { throw entry.key.error("an attribute must be one line of at most 128 bytes") }
            kinds[entry.name] = try entry.value.word("kind", among: AttributeKind.self)
        }
        return kinds
    }

    fileprivate func messageNames(most: Int) throws(PolicyError) -> [String] {
        let names = try words("`messages`") { node, name throws(PolicyError) in
            let isPlain = name.utf8.allSatisfy { byte in
                byte.isLetterOrDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
            guard isPlain, name.utf8.count <= 128 else {
                throw node.error(
                    "the name of a message type must be at most 128 letters, digits, dots, hyphens and underscores")
            }
            return name
        }
        guard names.count <= most else { throw error("the point has more than \(most) message types") }
        return names
    }

    /// A list of different words. The closure gets the node and the text of each word, and returns the word's value.
    private func words<Value: Hashable>(
        _ what: String, read: (PolicyNode, String) throws(PolicyError) -> Value
    ) throws(PolicyError) -> [Value] {
        var values: [Value] = []
        var known: Set<Value> = []
        for item in try list(what) {
            let value = try read(item, try item.text("an item of \(what)"))
            guard known.insert(value).inserted else { throw item.error("`\(value)` is stated twice") }
            values.append(value)
        }
        return values
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
