package import AnnexModel

/// One build of an extension: its identifier, its version, and the digest of its app's files. Lists and reports name
/// instances, so that users can tell an old version from its update.
package struct Instance: Sendable, Hashable {
    /// The extension's bundle identifier.
    package let identifier: String
    /// The version of the app that carries the extension.
    package let version: BundleVersion
    /// The digest of the app's files in hexadecimal digits; nil if the caller did not compute it.
    package let digest: String?

    package init(_ identifier: String, version: BundleVersion, digest: String? = nil) {
        self.identifier = identifier
        self.version = version
        self.digest = digest
    }
}

extension Instance: CustomStringConvertible {
    /// For example `com.example.pictures.editor/1.4.2/3f2a9c81d04be675`. The last part is the first sixteen digits of
    /// the digest.
    package var description: String {
        "\(identifier)/\(version)" + (digest.map { "/\($0.prefix(16))" } ?? "")
    }
}

/// One version of an app, and the path of its files.
package struct AppBuild: Sendable, Hashable {
    package let version: BundleVersion
    package let digest: String?
    /// The directory `Name.app`.
    package let path: String

    package init(version: BundleVersion, digest: String? = nil, path: String) {
        self.version = version
        self.digest = digest
        self.path = path
    }
}

/// The record of an installed app: the version in use, the other known versions, and the user's decisions.
package struct KnownApp: Sendable, Hashable {
    /// The app's bundle identifier.
    package let identifier: String
    /// The version whose extensions are launched.
    package let elected: AppBuild
    /// Other versions that could be elected.
    package let others: [AppBuild]
    /// The version that the user chose; nil if the election uses the highest version.
    package let pinned: BundleVersion?
    /// The user's own choices: for each extension that the user has switched on or off, whether the extension is on.
    package let choices: [String: Bool]
    /// The entitlements that the user has granted to each extension.
    package let grants: [String: GrantedEntitlements]

    package init(
        _ identifier: String, elected: AppBuild, others: [AppBuild] = [], pinned: BundleVersion? = nil,
        choices: [String: Bool] = [:], grants: [String: GrantedEntitlements] = [:]
    ) {
        self.identifier = identifier
        self.elected = elected
        self.others = others
        self.pinned = pinned
        self.choices = choices
        self.grants = grants
    }

    package var builds: [AppBuild] { [elected] + others }
}

/// Decides which version of an app is used.
enum Election {
    /// The pinned version if it is known, otherwise the highest version; nil if there is no build.
    static func winner(among builds: [AppBuild], pinned: BundleVersion?) -> AppBuild? {
        builds.first { $0.version == pinned } ?? builds.max { $0.version < $1.version }
    }

    /// The builds that stay known in addition to the elected build: first the build that was installed last, then the
    /// highest versions.
    static func kept(_ builds: [AppBuild], last: BundleVersion, most: Int) -> [AppBuild] {
        let ranked = builds.sorted { one, other in
            if (one.version == last) != (other.version == last) { return one.version == last }
            return one.version > other.version
        }
        return Array(ranked.prefix(max(0, most)))
    }
}
