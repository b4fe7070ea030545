internal import AnnexBundle
internal import AnnexModel
internal import AnnexSigning

/// The signature or the digest of an installed app, and the checks of each launch of its extensions.
struct AppSignature: Sendable {
    /// What a launch of one extension checks.
    enum LaunchCheck: Sendable {
        case read(SealedExtension)
        /// The files were read by an earlier broker.
        case unread(UnreadApp)
    }

    /// The team that signed the app; nil if the app is not signed.
    let team: Team?
    /// The app's `CFBundleVersion`.
    let version: BundleVersion
    /// The digest of everything in the app, in hexadecimal digits; nil if no broker has recorded it.
    let digest: String?
    /// The groups that the app itself declares.
    let groups: Set<String>
    /// The checks of each launch, by the extension's bundle. A replaced bundle may still be launched by a host that asked
    /// a moment ago, so the checks belong to the bundle and not to its identifier.
    let extensions: [(bundle: ExtensionBundle, check: LaunchCheck)]

    /// The signature of an app whose files or seal were read.
    init(_ app: AppBundle, sealed: SealedApp) throws(SigningError) {
        team = sealed.team
        version = app.version
        digest = sealed.contentDigest.hex
        groups = Set(app.entitlements.applicationGroups)
        extensions = Array(zip(app.extensions, try SealedExtension.all(of: app, sealed: sealed)))
            .map { (bundle: $0.0, check: .read($0.1)) }
    }

    /// An unsigned app that an earlier broker has read.
    /// - Parameter digest: the digest that was recorded then; nil if none was.
    init(unsigned app: AppBundle, digest: String?) {
        team = nil
        version = app.version
        self.digest = digest
        groups = Set(app.entitlements.applicationGroups)
        let unread = digest.map { UnreadApp(app, digest: $0) }
        extensions = unread.map { unread in app.extensions.map { (bundle: $0, check: .unread(unread)) } } ?? []
    }
}
