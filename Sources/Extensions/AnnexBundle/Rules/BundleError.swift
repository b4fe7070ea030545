/// A bundle that breaks a rule: which file, which key, which rule, what is wrong, and the remedy.
public struct BundleError: Error, Sendable, Hashable {
    public let rule: BundleRule
    /// The file, as a path from the app's own directory, for example `Pictures.app/Info.plist`; escaped.
    public let file: String
    /// The key of the property list that it is about, where it is one.
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
