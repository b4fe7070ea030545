internal import AnnexActivation
internal import AnnexLinux
internal import AnnexModel

/// The checks of an extension's activation rule. Only the validation of a bundle makes these checks. A faulty rule
/// does not make Annex refuse a bundle. Instead, hosts do not offer an extension whose rule cannot be used.
struct ActivationChecks {
    private let attributes: InfoDictionary
    private let findings: FindingCollector

    /// If a rule has unknown keys, at most this many of them are reported.
    private static let mostKeys = 10

    init(_ attributes: InfoDictionary, findings: FindingCollector) {
        self.attributes = attributes
        self.findings = findings
    }

    /// The dictionary that a key of activation rules belongs to; nil for other keys.
    static func home(of key: String) -> String? {
        guard key.hasPrefix("NSExtensionActivation") else { return nil }
        return key == ActivationRule.key ? "NSExtensionAttributes" : "\(ActivationRule.key) of NSExtensionAttributes"
    }

    func check() {
        for key in attributes.values.keys.sorted() where key != ActivationRule.key {
            guard let home = Self.home(of: key) else { continue }
            warn(
                Escaped(key, limit: 256).description, what: "is beside the rule, where it has no effect", rule: .a1,
                remedy: "move it into the dictionary \(home)")
        }
        guard let value = attributes.values[ActivationRule.key] else { return }
        if let values = value.dictionary { warnOfUnknownKeys(in: values) }
        // Only the rule itself is read, so the extension point does not matter.
        switch ActivationRule(attributes: [ActivationRule.key: ItemValue(value)], point: "") {
        case .faulty(let fault): warn(of: fault, isPredicate: value.dictionary == nil)
        case .predicate(let predicate) where predicate.isAlwaysTrue:
            warn(
                ActivationRule.key, what: "offers the extension for everything (TRUEPREDICATE)", rule: .a2,
                remedy: "state which items the extension takes; TRUEPREDICATE is for development only")
        default: break
        }
    }

    private func warn(of fault: RuleFault, isPredicate: Bool) {
        let key = fault.key.map { "\(ActivationRule.key).\(Escaped($0, limit: 256))" } ?? ActivationRule.key
        warn(
            key, what: "\(fault.what), so hosts never offer the extension", rule: isPredicate ? .a2 : .a1,
            remedy: fault.remedy)
    }

    private func warnOfUnknownKeys(in values: [String: PropertyListValue]) {
        let unknown = DictionaryRule(values.mapValues(ItemValue.init)).unknownKeys
        for key in unknown.prefix(Self.mostKeys) {
            warn(
                "\(ActivationRule.key).\(Escaped(key, limit: 256))", what: "is a key that no activation rule has",
                rule: .a1, remedy: "remove it, or correct its name")
        }
    }

    private func warn(_ key: String, what: String, rule: BundleRule, remedy: String) {
        findings.warn(attributes.fault(key, what: what, rule: rule, remedy: remedy))
    }
}

/// The checks of the types that an app declares. Only the validation of a bundle makes these checks.
enum TypeDeclarationChecks {
    static func check(_ info: InfoDictionary, reporting findings: FindingCollector) {
        guard findings.isValidating else { return }
        for key in [TypeDeclarations.exported, TypeDeclarations.imported] {
            guard let value = info.values[key] else { continue }
            for fault in TypeDeclarations(info: [key: ItemValue(value)]).faults {
                findings.warn(
                    info.fault(
                        key, what: "has a wrong declaration: \(fault)", rule: .a3,
                        remedy: "correct or remove the declaration"))
            }
        }
    }
}
