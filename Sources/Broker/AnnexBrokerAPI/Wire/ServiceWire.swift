package import AnnexChannel
package import AnnexModel

/// Versions and limits that a host and a daemon must agree on. `Docs/Reference/Wire.md` describes them in words.
package enum ServiceWire {
    /// The versions of the protocol that this library supports. A host sends its range, and the daemon chooses the
    /// highest version that both support. Every change of the protocol's meaning raises the upper bound. If support for
    /// old peers is dropped, the lower bound rises.
    package static let versions: ClosedRange<UInt64> = 3...15
    /// From this version on, a host that has passed a ping on to its extension reports this to the daemon.
    package static let firstWithPings: UInt64 = 4
    /// From this version on, a daemon checks the extension point that a host expects.
    package static let firstWithPoints: UInt64 = 4
    /// From this version on, a host reports that it gives up a parked extension because memory is short.
    package static let firstWithMemoryPressure: UInt64 = 5

    /// From this version on, a host can request that the daemon trusts a team.
    package static let firstWithTrust: UInt64 = 6
    /// From this version on, a daemon announces changes of the installed apps and extensions, and a host can choose an
    /// app's version.
    package static let firstWithChanges: UInt64 = 7
    /// From this version on, a daemon knows entitlements, and a host can grant them.
    package static let firstWithGrants: UInt64 = 8
    /// From this version on, a daemon lists extensions in the languages of a host, and sends icons and attributes.
    package static let firstWithFaces: UInt64 = 9
    /// From this version on, a daemon sends the types that an app declares.
    package static let firstWithTypes: UInt64 = 10

    /// From this version on, a host can request that the daemon opens a URL.
    package static let firstWithOpening: UInt64 = 11
    /// From this version on, a host reports that the user acted in an extension's view.
    package static let firstWithUserActions: UInt64 = 12
    /// From this version on, a host names the origin of a session, and reports its first answer. The daemon names the
    /// size of the window for the host's requests.
    package static let firstWithOrigins: UInt64 = 13

    /// From this version on, a daemon answers about background transfers.
    package static let firstWithTransfers: UInt64 = 14
    /// From this version on, a grant of the network can name machines.
    package static let firstWithHosts: UInt64 = 15

    /// The highest version that both peers support; nil if the peers have no version in common.
    package static func common(with others: ClosedRange<UInt64>) -> UInt64? {
        versions.overlaps(others) ? min(versions.upperBound, others.upperBound) : nil
    }

    /// The limits of a host's packet, which carries names and short texts.
    package static let fromHost = MessageLimits(bytes: 8 << 10, fields: 16, depth: 1)
    /// The limits of a daemon's packet. A packet carries at most the extensions of one app, or the end of one extension
    /// with all details. The attributes of an extension may be nested.
    package static let fromDaemon = MessageLimits(bytes: 160 << 10, fields: 8_192, depth: 64)

    /// The longest identifier, name or reason in a host's packet, in bytes.
    package static let longestText = 4 << 10
    /// The longest name of an origin, in bytes.
    package static let longestOrigin = 256
    /// The most entitlements in one request.
    package static let mostEntitlements = 16
    /// The most machines in one request.
    package static let mostHosts = 64
    /// The most languages of a user that are considered.
    package static let mostLanguages = 32
    /// The largest icon, in bytes. A larger icon in a bundle is refused.
    package static let largestIcon: UInt64 = 1 << 20
    /// The longest side of an icon, in pixels.
    package static let longestIconSide: UInt32 = 1_024
    /// The most bytes of an icon in one packet.
    package static let iconPart = 128 << 10
    /// The most requests of one extension that a daemon counts as open at once. A host holds back its reports of
    /// further requests. It sends the next report when an earlier request ends.
    package static let mostOpenRequests = 1_024
    /// How many descriptors a launch sends: the control socket, the host's region and the extension's region.
    package static let launchDescriptors = 3
}

/// One packet from a host to a daemon.
package enum HostPacket: Sendable, Hashable {
    /// The first packet on every connection: the versions that the host supports.
    case hello(versions: ClosedRange<UInt64>)
    /// The first packet (`PortalHello`) on a connection that a containing app makes, with the bundle identifier that
    /// the app states. From then on, the connection is a portal: the app sends its other requests to the broker in the
    /// messages of a portal.
    case portal(app: String)
    /// A request to the daemon, with its number. Later requests have higher numbers. The daemon's answer carries the
    /// number of the request.
    case request(UInt64, ServiceRequest)
    /// A report about a launched extension. It has the number of the request that launched the extension, and the
    /// counts of the extension's channel at the time of the report.
    case notice(UInt64, ExtensionNotice, counts: SessionStatistics)
}

/// A host's request to a daemon.
package enum ServiceRequest: Sendable, Hashable {
    /// Installs an app. `name` is the name of its directory. A descriptor of the app's archive is sent with the packet.
    /// `granting` are entitlements that the user grants. Each extension of the app gets the granted entitlements that
    /// it asks for.
    case install(name: String, granting: [String] = [])
    case uninstall(app: String)
    case setEnabled(Bool, extension: String)
    /// Grants or revokes entitlements of an extension. `hosts` are the machines that a grant of the network names, or
    /// that a revocation takes back.
    case setGranted(Bool, entitlements: [String], hosts: [String] = [], extension: String)
    /// Chooses which installed version of an app is used; nil ends the choice.
    case pin(app: String, version: String?)
    /// Trusts a team. `key` is the text of the file with the team's public key. `app` is an app that the team may
    /// sign from now on.
    case trust(key: String, app: String?)
    /// Lists extensions, sorted by identifier. The list begins with the first extension whose identifier follows
    /// `after`. If `after` is empty, the list begins with the first extension of all.
    /// - Parameter languages: the user's languages for names and summaries, the preferred language first. If it is nil,
    ///   the names in `Info.plist` are used.
    case list(after: String, withDisabled: Bool = false, languages: [String]? = nil)
    /// A part of an extension's icon. `from` is the offset of the part's first byte in the icon.
    case icon(extension: String, from: UInt64)
    case attributes(extension: String)
    /// The types that the extension's app declares. The answer is `attributes`.
    case typeDeclarations(extension: String)
    /// Asks about background transfers, or changes one. The answer is `attributes`.
    case transfer(TransferRequest)
    /// Starts the app that registers the URL's scheme. The answer is `opened`.
    case open(url: String)
    case terms(extension: String)
    /// Takes a parked extension into use. The number is the number of the request that launched the extension.
    case claim(UInt64)
    /// Launches an extension with the three descriptors of its channel, which are sent with the packet. From now on,
    /// the request's number identifies the extension.
    /// - Parameters:
    ///   - as: the extension point that the host expects; nil if the host accepts any point.
    ///   - origin: the host's own name for the source of the session's requests; nil if the host names none.
    ///   - counters: the number under which the host publishes the counts of its channel; 0 if the host publishes no
    ///     counts.
    case launch(
        extension: String, as: String? = nil, for: LaunchPurpose, timeLimit: Duration?, origin: String? = nil,
        counters: UInt64)

    /// How many descriptors are sent with the packet.
    package var descriptors: Int {
        switch self {
        case .install: 1
        case .launch: ServiceWire.launchDescriptors
        case .uninstall, .setEnabled, .setGranted, .trust, .pin, .list, .terms, .claim, .icon, .attributes,
            .typeDeclarations, .open, .transfer:
            0
        }
    }
}

/// A host's report about its extension. The daemon passes each report to the corresponding method of `ExtensionHandle`.
package enum ExtensionNotice: Sendable, Hashable {
    case saidHello
    case requestBegan(UInt64)
    case requestEnded(UInt64)
    case answered
    case overstayed
    case gaveSign
    case pingPassedOn
    case activityBegan(String)
    case activityEnded
    case userActed
    case violated(ProtocolViolation)
    case channelClosed
    case parked
    case dismissed(Dismissal)
}

/// One packet from a daemon to a host.
package enum DaemonPacket: Sendable {
    /// The answer to a hello: the version that both sides use from now on.
    /// - Parameter window: how many requests the host should leave unanswered at most; 0 if the daemon names no number.
    case welcome(version: UInt64, window: UInt64 = 0)
    /// The daemon ends this connection for the given reason.
    case rejected(BrokerError)
    /// The daemon is shutting down. It launches no more extensions, and sends the end of every extension after this
    /// packet.
    case leaving
    /// The installed apps or extensions have changed. The number counts these changes.
    case changed(UInt64)
    case answer(UInt64, ServiceAnswer)
    /// An event of an extension, with the number of the request that launched it.
    case event(UInt64, ExtensionEvent)
}

/// A daemon's answer to one request.
package enum ServiceAnswer: Sendable, Hashable {
    case done
    /// - Parameter isAll: true if no extension follows after the last extension in this list.
    case extensions([InstalledExtension], isAll: Bool)
    case terms(SessionTerms)
    case trusted(SigningTeam)
    /// The identifier of the app that opened the URL.
    case opened(app: String)
    /// The part is nil if the extension has no icon.
    case icon(IconPart?)
    case attributes([String: ItemValue])
    /// - Parameter isYours: whether the parked extension still had its slot. If so, the host may now use the extension.
    case claimed(isYours: Bool)
    case failed(BrokerError)
}
