/// A bundle breaks a rule of packaging. The error names the file, the key, the rule, the fault and the remedy.
public struct BundleError: Error, Sendable, Hashable {
    /// The broken rule.
    public let rule: BundleRule
    /// The file, as an escaped path that starts with the app's directory, for example `Pictures.app/Info.plist`.
    public let file: String
    /// The key of the property list that is wrong; nil if the error is not about a key.
    public let key: String?
    /// What is wrong, in a line.
    public let what: String
    /// What the reader can do about it.
    public let remedy: String

    init(_ rule: BundleRule, file: String, key: String? = nil, _ what: String, remedy: String) {
        self.rule = rule
        self.file = file
        self.key = key
        self.what = what
        self.remedy = remedy
    }
}

extension BundleError: CustomStringConvertible {
    public var description: String {
        let place = key.map { "\(file): \($0)" } ?? file
        return "\(place): \(what) (\(rule.rawValue)); \(remedy)"
    }
}
