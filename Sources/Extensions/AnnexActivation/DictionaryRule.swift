package import AnnexModel

/// An activation rule in the form of a dictionary. It states which kinds of attachments an extension takes, and how
/// many of each kind.
package struct DictionaryRule: Sendable, Hashable {
    /// Which attachments must match the rule.
    package enum Version: Sendable {
        /// At least one attachment must be of a kind that the rule takes.
        case anyMatches
        /// All attachments must be of a kind that the rule takes.
        case allMatch
    }

    /// For each kind that the rule names, the most attachments of this kind that the extension takes. Zero means that
    /// the extension takes no attachments of this kind.
    package private(set) var most: [ItemKind: Int] = [:]
    /// `stated` holds the kinds in `most`. `refused` holds those kinds in `most` for which the number is zero.
    private var stated = ItemKinds()
    private var refused = ItemKinds()
    package private(set) var version: Version = .anyMatches
    /// Whether every type of an attachment must be of a kind that the rule takes. If false, one such type is enough.
    package private(set) var isStrict = false
    package private(set) var mostAttachments: Int?
    package private(set) var fewestAttachments = 1
    /// The keys in this rule that Annex does not know. They have no effect.
    package private(set) var unknownKeys: [String] = []
    /// The fault of the first value that cannot be used; nil if there is none. If there is a fault, the extension is
    /// not offered.
    package private(set) var fault: RuleFault?

    private static let versionKey = "NSExtensionActivationDictionaryVersion"
    private static let strictKey = "NSExtensionActivationUsesStrictMatching"
    private static let mostKey = "NSExtensionActivationSupportsAttachmentsWithMaxCount"
    private static let fewestKey = "NSExtensionActivationSupportsAttachmentsWithMinCount"

    /// Reads a rule. An app provides the values, and they may be of any kind.
    package init(_ values: [String: ItemValue]) {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { read(key, value: value) }
        for (kind, most) in most {
            stated.insert(kind)
            if most == 0 { refused.insert(kind) }
        }
    }

    private mutating func read(_ key: String, value: ItemValue) {
        switch key {
        case Self.versionKey:
            switch number(value) {
            case 1: version = .anyMatches
            case 2: version = .allMatch
            default: refuse(key, what: "is neither 1 nor 2", remedy: "write the integer 1 or 2")
            }
        case Self.strictKey: isStrict = truth(value, key: key)
        case Self.mostKey: mostAttachments = count(value, key: key)
        case Self.fewestKey: fewestAttachments = count(value, key: key)
        case ItemKind.text.key: most[.text] = truth(value, key: key) ? .max : 0
        default:
            if let kind = ItemKind.allCases.first(where: { $0.key == key }) {
                most[kind] = count(value, key: key)
            } else {
                unknownKeys.append(key)
            }
        }
    }

    private func number(_ value: ItemValue) -> Int64? {
        if let bool = value.bool { return bool ? 1 : 0 }
        return value.integer
    }

    private mutating func truth(_ value: ItemValue, key: String) -> Bool {
        if let number = number(value), (0...1).contains(number) { return number == 1 }
        refuse(key, what: "is not a boolean", remedy: "write true or false")
        return false
    }

    private mutating func count(_ value: ItemValue, key: String) -> Int {
        if let number = value.integer, number >= 0 { return Int(clamping: number) }
        refuse(key, what: "is not a number of attachments", remedy: "write an integer, 0 or more")
        return 0
    }

    private mutating func refuse(_ key: String, what: String, remedy: String) {
        if fault == nil { fault = RuleFault(key: key, what: what, remedy: remedy) }
    }
}

extension DictionaryRule {
    /// Why the rule does not match; nil if it matches.
    package func mismatch(with items: OfferedItems) -> String? {
        let count = items.attachmentCount
        guard count >= max(fewestAttachments, 1) else {
            return count == 0
                ? "there is nothing to take" : "it takes \(fewestAttachments) attachments at least, not \(count)"
        }
        if let mostAttachments, count > mostAttachments {
            return "it takes \(mostAttachments) attachments at most, not \(count)"
        }
        // A rule that only counts attachments takes all kinds.
        if most.isEmpty { return mostAttachments == nil ? "its rule names no kind of attachments" : nil }
        return mismatchOfKinds(with: items)
    }

    private func mismatchOfKinds(with items: OfferedItems) -> String? {
        var counts = [Int](repeating: 0, count: ItemKind.allCases.count)
        var foreign: Int?
        for group in items.allAttachments {
            if let rank = rank(of: items.attachments[group.place], in: items) {
                counts[rank] += group.count
            } else if foreign == nil {
                foreign = group.place
            }
        }
        for kind in ItemKind.allCases {
            let count = counts[kind.rank]
            if count > 0, let most = most[kind], count > most {
                return "it takes \(most) \(kind.words) at most, not \(count)"
            }
        }
        guard let foreign, version == .allMatch || !counts.contains(where: { $0 > 0 }) else { return nil }
        let types = items.attachments[foreign].types.map { items.types[$0].identifier }
        return "its rule takes no \(Escaped(types.first ?? "an attachment without a type", limit: 255))"
    }

    /// The rank of the kind that an attachment counts for; nil if the rule does not take the attachment.
    private func rank(of attachment: OfferedItems.Attachment, in items: OfferedItems) -> Int? {
        var best: Int?
        for type in attachment.types {
            let kinds = items.kinds[type]
            // The most specific kind that includes the type and that the rule states. The rule may state the number
            // zero for this kind.
            let found = (attachment.isText ? kinds.ofText : kinds.ofAttachment).intersection(stated).first
            if let found, !refused.contains(rank: found) {
                best = min(best ?? found, found)
            } else if isStrict {
                return nil
            }
        }
        return best
    }
}

/// The fault of a rule that cannot be used.
package struct RuleFault: Sendable, Hashable {
    /// The key whose value cannot be used; nil if the rule is not a dictionary.
    package let key: String?
    /// The fault, in a line.
    package let what: String
    /// The remedy.
    package let remedy: String

    package init(key: String? = nil, what: String, remedy: String) {
        self.key = key
        self.what = what
        self.remedy = remedy
    }
}
