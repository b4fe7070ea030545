internal import AnnexBundle
internal import AnnexModel
internal import AnnexSigning

/// The statements of an installed app's signature, and the checks of each launch of its extensions.
struct AppSignature: Sendable {
    /// The team that signed the app; nil if the app is not signed.
    let team: Team?
    /// The app's `CFBundleVersion`.
    let version: BundleVersion
    /// The digest of everything in the app, in hexadecimal digits; nil if the app is not signed.
    let digest: String?
    /// The checks of each launch, by the extension's bundle. A replaced bundle may still be launched by a host that asked
    /// a moment ago, so the checks belong to the bundle and not to its identifier.
    let extensions: [(bundle: ExtensionBundle, sealed: SealedExtension)]

    /// The signature of an app whose seal was read.
    /// - Parameter sealed: nil if the app is not signed.
    init(_ app: AppBundle, sealed: SealedApp?) throws(SigningError) {
        team = sealed?.team
        version = app.version
        digest = sealed?.contentDigest.hex
        guard let sealed else {
            extensions = []
            return
        }
        extensions = Array(zip(app.extensions, try SealedExtension.all(of: app, sealed: sealed)))
            .map { (bundle: $0.0, sealed: $0.1) }
    }
}
