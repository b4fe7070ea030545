/// The entitlements that an app or extension asks for. They are the values of the file `Name.entitlements` in the
/// bundle of that app or extension. `Name` is the value of `CFBundleExecutable`.
///
/// Asking for an entitlement does not grant it. The extension point says which entitlements it allows, and the user
/// grants them.
public struct Entitlements: Sendable, Hashable {
    /// `com.apple.security.application-groups`: the groups whose shared container the bundle wants, such as
    /// `group.com.example.pictures`. Empty if the key is missing.
    public let applicationGroups: [String]
    /// All entitlements that the bundle asks for, sorted by name, including names that Annex does not know. If the
    /// value is false or an empty list, the bundle does not ask for that entitlement.
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
    /// The sandbox. It is always on, whatever the value is, so no extension point lists this entitlement.
    case appSandbox = "com.apple.security.app-sandbox"

    /// Whether the value is a list of groups. Otherwise the value is true or false.
    var isList: Bool { self == .applicationGroups }
}

extension PropertyListLimits {
    /// The limits for entitlements. Among the entitlements files of twelve real apps, the longest has 4 KiB.
    package static let entitlements = PropertyListLimits(bytes: 16 << 10, values: 512, depth: 4, key: 256)
}
