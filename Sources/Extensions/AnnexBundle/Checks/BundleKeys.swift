internal import AnnexModel

/// The keys that the property lists of both apps and extensions have. A value that is missing or wrong is nil here. The
/// fault of a wrong value is also among the findings.
struct BundleKeys {
    let identifier: String?
    /// `CFBundleName`.
    let name: String?
    /// `CFBundleDisplayName`.
    let displayName: String?
    /// `CFBundleVersion`.
    let version: BundleVersion?
    /// `CFBundleShortVersionString`.
    let shortVersion: BundleVersion?

    /// The greatest length of a name, in characters. If a name is longer, the validation advises the author to
    /// shorten it. Most hosts cut off longer names in their lists.
    private static let longestName = 40

    init(_ info: InfoDictionary, reporting findings: FindingCollector) {
        identifier = findings.attempt { () throws(BundleError) in try info.identifier("CFBundleIdentifier") }
        name = Self.name("CFBundleName", in: info, reporting: findings)
        displayName = Self.name("CFBundleDisplayName", in: info, reporting: findings)
        version = Self.version("CFBundleVersion", in: info, reporting: findings)
        shortVersion = Self.version("CFBundleShortVersionString", in: info, reporting: findings)
        _ = findings.attempt { () throws(BundleError) in try Self.checkLeastVersion(info) }
    }

    private static func name(_ key: String, in info: InfoDictionary, reporting findings: FindingCollector) -> String? {
        let name = findings.find { () throws(BundleError) in try info.text(key, rule: .p6) }
        guard let name, findings.isValidating else { return name }
        if let deception = ShownText.deception(in: name) {
            findings.warn(
                info.fault(
                    key, what: "is \(Escaped(name)), which \(deception)", rule: .p6,
                    remedy: "write it in one alphabet"))
        }
        if name.count > longestName {
            findings.advise(
                info.fault(
                    key, what: "has \(name.count) characters", rule: .p6,
                    remedy: "shorten it to \(longestName) at most: hosts show it in lists"))
        }
        return name
    }

    private static func version(
        _ key: String, in info: InfoDictionary, reporting findings: FindingCollector
    ) -> BundleVersion? {
        let text = findings.find { () throws(BundleError) in try info.text(key, rule: .p12) }
        guard let text else {
            if info.values[key] != nil { return nil }
            findings.warn(info.fault(key, what: "is missing", rule: .p12, remedy: "add it, such as 1.0"))
            return nil
        }
        if let version = BundleVersion(text) { return version }
        findings.report(
            info.fault(
                key, what: "is \(Escaped(text, limit: 100)), which is not a version", rule: .p12,
                remedy: "write whole numbers between dots, such as 1.4.12"))
        return nil
    }

    /// Rejects a bundle that requires a later version of Annex than this version.
    private static func checkLeastVersion(_ info: InfoDictionary) throws(BundleError) {
        let key = "LSMinimumSystemVersion"
        guard let text = try info.text(key, rule: .p9) else { return }
        guard let least = BundleVersion(text) else {
            throw info.fault(
                key, what: "is \(Escaped(text, limit: 100)), which is not a version", rule: .p9,
                remedy: "write the lowest version of Annex that will do, such as \(BundleVersion.annex)")
        }
        guard least <= .annex else {
            throw info.fault(
                key, what: "is \(least), but this Annex has the version \(BundleVersion.annex)", rule: .p9,
                remedy: "update Annex, or name a version of Annex that will do")
        }
    }
}

/// Checks of a property list that lead only to warnings. Only the validation of a bundle makes these checks, so they
/// never make Annex refuse a bundle.
enum InfoAdvice {
    /// Warns of each value that still contains a placeholder of a build setting, such as `$(PRODUCT_NAME)`. A value
    /// that already has a finding gets no warning.
    static func warnOfPlaceholders(in info: InfoDictionary, reporting findings: FindingCollector) {
        guard findings.isValidating else { return }
        for (keyPath, text) in info.placeholders.sorted(by: { $0.key < $1.key }) {
            if findings.hasFinding(at: keyPath, of: info.file) { continue }
            findings.warn(
                info.fault(
                    keyPath, what: "still holds a build setting: \(text)", rule: .p2,
                    remedy: "fill it in with annex bundle, or write the value"))
        }
    }
}
