/// The error for a bundle that breaks a rule of packaging. It names the file, the key, the rule, the fault and the
/// remedy.
public struct BundleError: Error, Sendable, Hashable {
    /// The broken rule.
    public let rule: BundleRule
    /// The file, as an escaped path that starts with the app's directory, for example `Pictures.app/Info.plist`.
    public let file: String
    /// The key of the property list that is wrong; nil if the error is not about a key.
    public let key: String?
    /// The fault, in a line.
    public let what: String
    /// The remedy.
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
    public var description: String { "\(place): \(what) (\(rule.rawValue)); \(remedy)" }

    /// The file, and the key if there is one.
    public var place: String { key.map { "\(file): \($0)" } ?? file }
}

/// A rule of packaging, with its number in the documentation.
public enum BundleRule: String, Sendable, Hashable {
    /// An app is a directory `Name.app` with `Info.plist`, its executable and `PlugIns/*.appex`. `Frameworks` holds
    /// resources, and there is no `SharedFrameworks`.
    case p1 = "P1"
    /// `Info.plist` is an ordinary property list with the ordinary keys, and no placeholder is left in it.
    case p2 = "P2"
    /// An extension lives inside its app, and its identifier starts with the app's identifier.
    case p3 = "P3"
    /// An app does more than carry extensions: it has a program of its own.
    case p4 = "P4"
    /// An extension has a name to show. The name is short and does not look like another name.
    case p6 = "P6"
    /// The executable matches the machine, and other users cannot change it. No file leads out of the bundle.
    case p7 = "P7"
    /// The bundle does not require a later version of Annex than this version.
    case p9 = "P9"
    /// An extension has a program for every processor for which its app has a program.
    case p11 = "P11"
    /// A bundle states its version, in a form that can be compared with other versions.
    case p12 = "P12"
    /// An activation rule in the form of a dictionary says for which items hosts offer the extension.
    case a1 = "A1"
    /// An activation rule in the form of a predicate says for which items hosts offer the extension.
    case a2 = "A2"
    /// An app declares only its own types.
    case a3 = "A3"
    /// A program does nothing that every sandbox denies. This rule has no number. Its name is the name of a section of
    /// the documentation.
    case restrictions = "restrictions"
    /// Entitlements are a property list in the bundle. This rule has no number. Its name is the name of a section of
    /// the documentation.
    case entitlements = "entitlements"
}
