internal import AnnexBundle
internal import AnnexModel
internal import AnnexSigning

/// The signature or the digest of an installed app, and the checks of each launch of its extensions.
struct AppSignature: Sendable {
    /// The check of each launch of one extension.
    enum LaunchCheck: Sendable {
        case read(SealedExtension)
        /// An earlier broker read the files. This broker reads them when it first launches an extension of the app.
        case unread(UnreadApp)
    }

    /// The team that signed the app; nil if the app is not signed.
    let team: Team?
    /// The app's `CFBundleVersion`.
    let version: BundleVersion
    /// The digest of all contents of the app, in hexadecimal digits; nil if no broker has recorded it.
    let digest: String?
    /// The groups that the app itself declares.
    let groups: Set<String>
    /// The check of each launch, together with the extension's bundle. If an app is replaced, a host may still launch
    /// the old bundle for a moment. So each check belongs to a bundle and not to an identifier.
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

    /// The record of an unsigned app that an earlier broker has read.
    /// - Parameter digest: the digest that the earlier broker recorded; nil if it recorded none.
    init(unsigned app: AppBundle, digest: String?) {
        team = nil
        version = app.version
        self.digest = digest
        groups = Set(app.entitlements.applicationGroups)
        let unread = digest.map { UnreadApp(app, digest: $0) }
        extensions = unread.map { unread in app.extensions.map { (bundle: $0, check: .unread(unread)) } } ?? []
    }
}
