/// The entitlements that an app or extension asks for. They are the values of the file `Name.entitlements` in its
/// bundle. `Name` is the value of `CFBundleExecutable`.
///
/// To ask is not to have: the extension point says which entitlements it allows, and the user grants them.
public struct Entitlements: Sendable, Hashable {
    /// `com.apple.security.application-groups`: the groups whose shared container the bundle wants, such as
    /// `group.com.example.pictures`. Empty if the key is missing.
    public let applicationGroups: [String]
    /// All entitlements that the bundle asks for, sorted by name. An entitlement with the value false or an empty list
    /// is not asked for. Names that Annex does not know are among them.
    public let names: [String]

    /// No entitlements, as if the bundle had no entitlements file.
    public static let none = Entitlements(names: [], applicationGroups: [])

    init(names: [String], applicationGroups: [String]) {
        self.names = names
        self.applicationGroups = applicationGroups
    }

    /// Whether the bundle asks for an entitlement.
    public func asks(for entitlement: Entitlement) -> Bool { names.contains(entitlement.rawValue) }

    /// The names that Annex does not know.
    public var unknown: [String] { names.filter { Entitlement(rawValue: $0) == nil } }
}

/// An entitlement that Annex knows.
public enum Entitlement: String, Sendable, Hashable, CaseIterable {
    /// Shared containers: a list of groups.
    case applicationGroups = "com.apple.security.application-groups"
    /// Connections to other machines.
    case networkClient = "com.apple.security.network.client"
    /// Reading the files that the user picks.
    case readUserSelected = "com.apple.security.files.user-selected.read-only"
    /// Reading and changing the files that the user picks.
    case writeUserSelected = "com.apple.security.files.user-selected.read-write"
    /// The sandbox. It is always on, whatever the value, so no extension point lists it.
    case appSandbox = "com.apple.security.app-sandbox"

    /// Whether the value is a list of groups; otherwise it is true or false.
    var isList: Bool { self == .applicationGroups }
}

extension PropertyListLimits {
    /// The limits for entitlements. The longest file of twelve real apps has 4 KiB.
    package static let entitlements = PropertyListLimits(bytes: 16 << 10, values: 512, depth: 4, key: 256)
}
