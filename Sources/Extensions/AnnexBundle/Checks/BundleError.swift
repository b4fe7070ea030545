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

    init(_ rule: BundleRule, file: String, key: String? = nil, what: String, remedy: String) {
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

/// A rule of packaging, with the number that the documentation gives it.
public enum BundleRule: String, Sendable, Hashable {
    /// An app is a directory `Name.app` with `Info.plist`, its executable and `PlugIns/*.appex`.
    case p1 = "P1"
    /// `Info.plist` is an ordinary property list with the ordinary keys, and no placeholder is left in it.
    case p2 = "P2"
    /// An extension lives inside its app, and its identifier starts with the app's.
    case p3 = "P3"
    /// An app does something itself: it has a program of its own.
    case p4 = "P4"
    /// An extension has a name to show.
    case p6 = "P6"
    /// The executable matches the machine, and other users cannot change it.
    case p7 = "P7"
}
