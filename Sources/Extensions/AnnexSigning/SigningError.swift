package import AnnexLinux

/// Why an app or a key was refused. The error names the problem, its place and the remedy.
package struct SigningError: Error, Sendable, Hashable {
    /// The kind of error, for programs.
    package enum Code: String, Sendable, Hashable {
        /// The app's seal cannot be read, has no valid signature, or belongs to another app or version. Also the code
        /// for an app that has no seal although a signature is required.
        case damagedSeal
        /// The app's files differ from its seal, or have changed since the installation.
        case changedContents
        /// The app has a file that cannot be sealed, such as a device, a hard link, or a file that other users can
        /// change.
        case unsafeContents
        /// The app breaks a rule of packaging.
        case invalidBundle
        /// The app is not signed by the team that it belongs to.
        case untrustedTeam
        /// The app is older than the installed version.
        case olderVersion
        /// A file does not hold a key, or holds a key that other users can read.
        case damagedKey
        /// The file with the list of trusted teams cannot be read.
        case damagedTrust
        /// The system denied a resource or an operation, or a list of trusted teams or of pins is full.
        case system
    }

    package let code: Code
    /// The problem, in one line.
    package let what: String
    /// The file or app that the error is about, escaped.
    package let place: String
    /// The remedy; nil if it is not known.
    package let remedy: String?
    /// The differences between the app's files and its seal, sorted by path. There are at most `SealDifferences.most`.
    package let differences: [SealDifference]

    init(_ code: Code, what: String, place: String, remedy: String? = nil, differences: [SealDifference] = []) {
        self.code = code
        self.what = what
        self.place = place
        self.remedy = remedy
        self.differences = differences
    }

    package init(_ error: SystemError, place: String) {
        self.init(.system, what: "\(Escaped(error.cause))", place: place, remedy: error.remedy)
    }
}

extension SigningError {
    /// The error for an app that has no signature although a signature is required.
    package static func isNotSigned(_ app: String) -> SigningError {
        SigningError(
            .damagedSeal, what: "is not signed (P8)", place: "\(Escaped(app))", remedy: "sign the app: annex sign")
    }
}

extension SigningError {
    /// The error for an app that was not signed by the team that it belongs to. The app is signed by another team, or
    /// not signed.
    package init(_ refusal: TrustRefusal) {
        self.init(.untrustedTeam, what: refusal.what, place: refusal.app, remedy: refusal.remedy)
    }

    /// The error for an app whose files have changed since its installation.
    package init(changedSinceInstallation app: String) {
        self.init(
            .changedContents, what: "has other contents than when it was installed (P8)", place: app,
            remedy: "install the app again")
    }

    /// The error for an extension whose app was replaced during its launch.
    init(replaced identifier: String) {
        self.init(
            .changedContents, what: "belongs to an app that was replaced a moment ago", place: identifier,
            remedy: "begin the extension again")
    }

    /// The error for an app of which a newer version is installed.
    package init(olderVersion version: String, than installed: String, of app: String) {
        self.init(
            .olderVersion, what: "is version \(Escaped(version)), but \(Escaped(installed)) is installed (P8)",
            place: app, remedy: "annex remove \(app) first, if you want the older version")
    }
}

extension SigningError: CustomStringConvertible {
    package var description: String { "\(place): \(what)" + (remedy.map { "; \($0)" } ?? "") }
}
