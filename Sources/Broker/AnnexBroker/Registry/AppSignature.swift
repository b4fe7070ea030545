internal import AnnexBundle
internal import AnnexSigning

/// What the signature of an installed app says, and what each launch of its extensions checks.
struct AppSignature: Sendable {
    /// The team that signed the app; nil if the app is not signed.
    let team: Team?
    /// The app's `CFBundleVersion`, as its seal states it; nil if the app is not signed.
    let version: String?
    /// The checks of each launch, by the extension's bundle. A replaced bundle may still be launched by a host that asked
    /// a moment ago, so the checks belong to the bundle and not to its identifier.
    let extensions: [(bundle: ExtensionBundle, sealed: SealedExtension)]

    /// The signature of an app whose seal was read.
    /// - Parameter sealed: nil if the app is not signed.
    init(_ app: AppBundle, sealed: SealedApp?) throws(SigningError) {
        team = sealed?.team
        version = sealed?.seal.version
        guard let sealed else {
            extensions = []
            return
        }
        extensions = Array(zip(app.extensions, try SealedExtension.all(of: app, sealed: sealed)))
            .map { (bundle: $0.0, sealed: $0.1) }
    }

    /// Whether a version is lower than another: the first number that differs decides, and a missing number counts as 0.
    static func isLower(_ version: String, than other: String) -> Bool {
        let (one, two) = (numbers(version), numbers(other))
        for place in 0..<max(one.count, two.count) {
            let (left, right) = (place < one.count ? one[place] : 0, place < two.count ? two[place] : 0)
            if left != right { return left < right }
        }
        return false
    }

    private static func numbers(_ version: String) -> [UInt64] {
        version.split(separator: ".", omittingEmptySubsequences: false).map { part in
            UInt64(part.prefix { $0.isASCII && $0.isNumber }) ?? 0
        }
    }
}
