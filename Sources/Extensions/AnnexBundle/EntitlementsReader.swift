internal import AnnexModel

/// Reads the text of an entitlements file. The reader reports every fault, and leaves out each value with a fault.
package struct EntitlementsReader {
    /// The most groups that one bundle may name.
    private static let mostGroups = 16

    private let file: String
    private let findings: FindingCollector

    /// - Parameter file: the file's path, for messages.
    init(file: String, reporting findings: FindingCollector) {
        self.file = file
        self.findings = findings
    }

    /// The entitlements in the bytes of a file.
    /// - Returns: nil if the file is not a property list with a dictionary.
    func entitlements(_ bytes: [UInt8]) -> Entitlements? {
        let values = findings.attempt { () throws(BundleError) in try dictionary(bytes) }
        guard let values else { return nil }
        var names: [String] = []
        var groups: [String] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let key = Entitlement(rawValue: name) else {
                if Self.isAsked(value) { names.append(name) }
                warnOfUnknown(name)
                continue
            }
            if key.isList { groups = self.groups(value, key: name) } else { checkTruth(value, key: key) }
            if Self.isAsked(value) { names.append(name) }
        }
        return Entitlements(names: names, applicationGroups: groups)
    }

    /// Reads the bytes of an entitlements file that need not belong to a bundle.
    /// - Throws: the first error.
    package static func read(_ bytes: [UInt8], file: String) throws(BundleError) -> Entitlements {
        let findings = FindingCollector(.opening)
        let found = EntitlementsReader(file: file, reporting: findings).entitlements(bytes)
        return try findings.verdict(on: found, at: file)
    }

    private func dictionary(_ bytes: [UInt8]) throws(BundleError) -> [String: PropertyListValue] {
        let value: PropertyListValue
        do throws(PropertyListFailure) {
            value = try PropertyListValue(bytes, within: .entitlements)
        } catch {
            throw fault(
                at: nil, what: "is not a property list: \(error)", remedy: "write it as an XML or binary property list")
        }
        guard let values = value.dictionary else {
            throw fault(at: nil, what: "is \(value.kind)", remedy: "make it a dictionary")
        }
        return values
    }

    /// Whether the value asks for the entitlement. False and an empty list do not ask for it.
    private static func isAsked(_ value: PropertyListValue) -> Bool {
        value != .boolean(false) && value != .array([])
    }

    private func warnOfUnknown(_ name: String) {
        findings.warn(
            fault(
                at: Escaped(name, limit: 256).description, what: "is an entitlement that Annex does not know",
                remedy: "remove it: an extension that asks for it can be rejected"))
    }

    private func checkTruth(_ value: PropertyListValue, key: Entitlement) {
        guard case .boolean(let isOn) = value else {
            findings.report(
                fault(
                    at: key.rawValue, what: "is \(value.kind), not true or false", remedy: "make it true, or remove it")
            )
            return
        }
        guard key == .appSandbox, !isOn else { return }
        findings.warn(fault(at: key.rawValue, what: "is false, but the sandbox is always on", remedy: "make it true"))
    }

    private func groups(_ value: PropertyListValue, key: String) -> [String] {
        guard let values = value.array else {
            findings.report(
                fault(at: key, what: "is \(value.kind), not an array", remedy: "make it an array of groups"))
            return []
        }
        if values.count > Self.mostGroups {
            findings.report(fault(at: key, what: "names more than \(Self.mostGroups) groups", remedy: "remove groups"))
        }
        return values.prefix(Self.mostGroups).compactMap { value in
            if let group = value.string, Self.isGroup(group) { return group }
            let shown = value.string.map { Escaped($0, limit: 200).description } ?? value.kind
            findings.report(
                fault(
                    at: key, what: "holds \(shown), which is not a group", remedy: "name it like group.com.example.name"
                ))
            return nil
        }
    }

    private static func isGroup(_ text: String) -> Bool {
        text.hasPrefix("group.") && BundleIdentifier.isWellFormed(text)
    }

    private func fault(at key: String?, what: String, remedy: String) -> BundleError {
        BundleError(.entitlements, file: file, key: key, what: what, remedy: remedy)
    }
}
