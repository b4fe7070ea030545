public import AnnexModel

/// An extension that is installed with a broker.
public struct InstalledExtension: Sendable, Hashable, Identifiable {
    /// The bundle identifier, for example `com.example.pictures.editor`. If the extension was rejected before its
    /// identifier was read, this value consists of its app's identifier, a slash, and its path in the app.
    public let id: String
    /// The name to show to a user. It is the extension's display name. If the extension has none, it is the containing
    /// app's name.
    ///
    /// In a list (`AnnexHost.extensions()`, `installed()`), the name is in the first of the host's languages that has a
    /// translation. In the results of other functions, it is the name in `Info.plist`.
    public package(set) var displayName: String
    /// The extension point in reverse DNS, for example `com.apple.photo-editing`. It is empty if the extension was
    /// rejected before its point was read.
    public let extensionPoint: String
    /// The bundle identifier of the app that contains the extension.
    public let containingApp: String
    /// Whether the extension is switched on: the user's choice, or the default of its extension point.
    public let isEnabled: Bool
    /// Why the extension cannot be used, with file, key and remedy; nil if it can be used. The rejection does not
    /// affect the app and its other extensions.
    public let rejection: BrokerError?
    /// The version of the app, and the app's other installed versions.
    public let build: Build

    /// The team that signed the containing app; nil if the app is not signed.
    public package(set) var team: SigningTeam?

    /// The purpose of the extension in one sentence: `NSHumanReadableDescription`, in the same language as
    /// `displayName`. It is nil if the extension has no such text. Only lists (`AnnexHost.extensions()`, `installed()`)
    /// have summaries. A summary has at most 1,024 bytes.
    public package(set) var summary: String?

    /// The entitlements that the extension asks for, and the entitlements that its point gives to each extension,
    /// sorted by name.
    public package(set) var entitlements: [Entitlement] = []

    /// The surfaces, other than the Today view, that show the widget. The set is empty if the extension is no widget,
    /// or if the daemon is older than this library.
    public package(set) var surfaces: WidgetSurfaces = []

    /// The entitlements whose grants have ended, sorted. A grant ends if another team now signs the app, or if the
    /// extension now serves another extension point. Only the functions that install an app or choose its version fill
    /// this array. In lists and in all other results, the array is empty.
    public package(set) var endedGrants: [String] = []

    /// The number of the app's installation among all installations of the broker. It is nil if the broker is not in
    /// this process. Each installation has a number of its own, even if the files are the same.
    package var installation: UInt64? {
        get { origin.number }
        set { origin.number = newValue }
    }

    private var origin = Origin()

    /// A value that equals every other `Origin`, so that the number does not affect equality. A daemon gives no
    /// numbers, and two lists with the same contents must be equal.
    private struct Origin: Hashable {
        var number: UInt64?

        static func == (one: Origin, other: Origin) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    /// The state of one entitlement that an extension asks for.
    public struct Entitlement: Sendable, Hashable {
        /// The entitlement's identifier, for example `com.apple.security.network.client`.
        public let name: String
        /// Whether the extension point allows the entitlement. An extension that asks for an entitlement that is not
        /// allowed is rejected.
        public let isAllowed: Bool
        /// Whether the user has granted the entitlement, or the extension point gives it to each extension.
        public let isGranted: Bool
        /// The machines that the grant of `com.apple.security.network.client` names, for example
        /// `feed.example.org:443`. If there are none, a grant is for all other machines.
        public let hosts: [String]

        /// Whether the extension has the entitlement at its next launch.
        public var isInForce: Bool { isAllowed && isGranted }

        package init(name: String, isAllowed: Bool, isGranted: Bool, hosts: [String] = []) {
            self.name = name
            self.isAllowed = isAllowed
            self.isGranted = isGranted
            self.hosts = hosts
        }
    }

    /// The build of the app that contains the extension.
    public struct Build: Sendable, Hashable {
        /// The app's `CFBundleVersion`; `0` if the app states none.
        public let version: String
        /// The first sixteen hexadecimal digits of the digest of the app's files; nil if the digest was not computed.
        public let digest: String?
        /// Whether the user chose this version.
        public let isPinned: Bool
        /// Other installed versions of the app, highest first.
        public let otherVersions: [String]

        package init(
            version: String = "0", digest: String? = nil, isPinned: Bool = false, otherVersions: [String] = []
        ) {
            self.version = version
            self.digest = digest
            self.isPinned = isPinned
            self.otherVersions = otherVersions
        }
    }

    /// The broker's decision about an extension when it was installed.
    public enum Verdict: String, Sendable, Hashable {
        /// Hosts can begin the extension, if it is switched on.
        case offered
        /// The extension names an extension point that the broker does not have.
        case unsupportedPoint
        /// The extension breaks a rule of packaging.
        case broken
        /// The extension belongs to a version of its app that is not used, because another version is used.
        case superseded
    }

    /// The broker's decision about the extension when it was installed.
    public var verdict: Verdict {
        switch rejection?.code {
        case nil: .offered
        case .unsupportedPoint: .unsupportedPoint
        case .superseded: .superseded
        default: .broken
        }
    }

    /// The extension's build in one word, for example `com.example.pictures.editor/1.4.2/3f2a9c81d04be675`. The report
    /// about an extension's end contains the same word.
    public var instance: String { "\(id)/\(build.version)" + (build.digest.map { "/\($0)" } ?? "") }

    /// Whether hosts can begin the extension: it is switched on and keeps all rules of packaging.
    public var isOffered: Bool { isEnabled && rejection == nil }

    package init(
        id: String, displayName: String, extensionPoint: String, containingApp: String, isEnabled: Bool = true,
        rejection: BrokerError? = nil, build: Build = Build()
    ) {
        self.id = id
        self.displayName = displayName
        self.extensionPoint = extensionPoint
        self.containingApp = containingApp
        self.isEnabled = isEnabled
        self.rejection = rejection
        self.build = build
    }
}
