internal import AnnexModel

/// The URL schemes that an app registers with `CFBundleURLTypes`.
struct URLSchemes {
    static let key = "CFBundleURLTypes"
    private static let schemesKey = "CFBundleURLSchemes"
    /// The most schemes of one app.
    private static let most = 64

    /// The schemes in lower case and sorted. Each scheme appears once.
    ///
    /// - Throws: an error if the value is not an array of dictionaries that each list schemes.
    static func read(_ info: InfoDictionary) throws(BundleError) -> [String] {
        guard let value = info.values[key] else { return [] }
        guard let types = value.array else {
            throw info.fault(key, what: "is \(value.kind), not an array", rule: .p2, remedy: "make it an array")
        }
        var found: Set<String> = []
        for type in types {
            guard let type = type.dictionary else {
                throw info.fault(
                    key, what: "holds \(type.kind) in place of a dictionary", rule: .p2,
                    remedy: "list one dictionary with \(schemesKey) for each kind of URL")
            }
            found.formUnion(try schemes(of: type, info: info))
        }
        guard found.count <= most else {
            throw info.fault(key, what: "names more than \(most) schemes", rule: .p2, remedy: "remove schemes")
        }
        return found.sorted()
    }

    private static func schemes(
        of type: [String: PropertyListValue], info: InfoDictionary
    ) throws(BundleError) -> [String] {
        // A URL type may lack schemes. Such a type only names a kind of URL.
        guard let value = type[schemesKey] else { return [] }
        guard let values = value.array else {
            throw info.fault(schemesKey, what: "is \(value.kind), not an array", rule: .p2, remedy: "make it an array")
        }
        var schemes: [String] = []
        for value in values {
            guard let scheme = value.string, AppURL.isScheme(scheme) else {
                throw info.fault(
                    schemesKey, what: "holds \(Escaped(value.string ?? value.kind, limit: 100)), which is not a scheme",
                    rule: .p2, remedy: "use a letter, then letters, digits, plus signs, hyphens and dots")
            }
            guard scheme.lowercased() != StartReason.scheme else {
                throw info.fault(
                    schemesKey, what: "names \(Escaped(scheme)), in which the broker tells apps why it starts them",
                    rule: .p2, remedy: "choose another scheme")
            }
            schemes.append(scheme.lowercased())
        }
        return schemes
    }
}
