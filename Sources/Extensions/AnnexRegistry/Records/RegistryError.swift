internal import AnnexModel

/// Why the registry did not make a change. The error names the problem, the identifier that the problem concerns, and
/// the remedy.
package struct RegistryError: Error, Sendable, Hashable {
    package enum Code: Sendable, Hashable {
        case unknownApp, unknownExtension, unknownVersion
        /// An identifier belongs to another app or extension.
        case takenIdentifier
        /// The files of a known version have changed since that version was installed.
        case changedApp
        /// The user cannot grant or revoke this entitlement of this extension.
        case wrongEntitlement
    }

    package let code: Code
    package let what: String
    package let place: String
    package let remedy: String

    init(_ code: Code, what: String, place: String, remedy: String) {
        self.code = code
        self.what = what
        self.place = place
        self.remedy = remedy
    }

    static func unknownApp(_ identifier: String, installed: [String]) -> RegistryError {
        RegistryError(
            .unknownApp, what: "is not installed", place: identifier,
            remedy: installed.isEmpty ? "no app is installed" : "installed apps: \(shown(installed))")
    }

    static func unknownExtension(_ identifier: String, installed: [String]) -> RegistryError {
        RegistryError(
            .unknownExtension, what: "is not installed", place: identifier,
            remedy: installed.isEmpty
                ? "no extension is installed: install the app that contains it, and look for its faults with annex validate"
                : "install the app that contains it; installed extensions: \(shown(installed))")
    }

    static func unknownVersion(_ version: BundleVersion, of known: KnownApp) -> RegistryError {
        let versions = known.builds.map(\.version).sorted().map(\.text)
        return RegistryError(
            .unknownVersion, what: "has no installed version \(version)", place: known.identifier,
            remedy: "installed versions: \(shown(versions))")
    }

    static func taken(_ identifier: String, by owner: String, for app: String) -> RegistryError {
        RegistryError(
            .takenIdentifier, what: "is already the identifier of an extension of \(owner)", place: identifier,
            remedy: "give the extension of \(app) an identifier of its own")
    }

    static func sameButCapitals(_ identifier: String, as other: String) -> RegistryError {
        RegistryError(
            .takenIdentifier, what: "differs only in capitals from the installed app \(other)", place: identifier,
            remedy: "write the identifier as that app does, or remove that app first")
    }

    static func changed(_ known: KnownApp, build: AppBuild) -> RegistryError {
        RegistryError(
            .changedApp, what: "is not the version \(build.version) that was installed from \(build.path)",
            place: known.identifier, remedy: "install that version again")
    }

    /// Identifiers for the text of an error. The number of identifiers is limited, so that the text fits in a daemon's
    /// packet.
    static func shown(_ identifiers: [String]) -> String {
        let most = 20
        let rest = identifiers.count - most
        return identifiers.prefix(most).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
