internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexModel
internal import AnnexSigning
internal import Synchronization

/// The signatures of a broker's installed apps, and the teams that its user trusts.
final class InstalledSignatures: Sendable {
    private struct State {
        /// The signature of each app, by the app's identifier.
        var apps: [String: AppSignature] = [:]
        /// The checks of the extensions' launches, by the bundle's identity. The next installation drops the entries
        /// whose bundle is gone.
        var seals: [ObjectIdentifier: Seal] = [:]
    }

    private struct Seal: Sendable {
        weak let bundle: ExtensionBundle?
        let team: Team?
        /// The groups that the app itself declares.
        let groups: Set<String>
        let check: AppSignature.LaunchCheck
    }

    private let trusted: TrustStore
    private let state = Mutex(State())

    init(trust: TrustStore) {
        trusted = trust
    }

    /// Reads all files of a new app, and decides whether the user trusts the signature. The first signed installation
    /// of an app pins the app to its team.
    /// - Parameters:
    ///   - path: the app's path for errors.
    ///   - mayBeOlder: whether the user chose this version. If so, the version may be lower than the version in use.
    func accept(
        _ app: AppBundle, at path: String, mayBeOlder: Bool = false
    ) throws(BrokerError) -> (signature: AppSignature, isNewPin: Bool) {
        do throws(SigningError) {
            let signature = try AppSignature(app, sealed: SealedApp.check(app))
            if case .refused(let refusal) = trusted.trust.decide(app: app.identifier, signedBy: signature.team) {
                throw SigningError(refusal)
            }
            if !mayBeOlder { try checkVersion(signature, of: app.identifier) }
            var isNew = false
            if let team = signature.team {
                try trusted.change { (trust) throws(SigningError) in
                    isNew = try trust.accept(team, for: app.identifier)
                }
            }
            return (signature, isNew)
        } catch {
            throw BrokerError(error, at: path)
        }
    }

    /// Refuses a signed app that is older than the installed app. The signature of an old version stays valid for ever.
    /// So without this check, a version with a known fault could return.
    private func checkVersion(_ signature: AppSignature, of app: String) throws(SigningError) {
        guard signature.team != nil, let installed = state.withLock({ $0.apps[app]?.version }),
            signature.version < installed
        else { return }
        throw SigningError(olderVersion: signature.version.text, than: installed.text, of: app)
    }

    /// Whether a version of an app has the same team as the version in use. If the version in use is not signed, any
    /// team counts as the same.
    func isOfSameTeam(_ signature: AppSignature, for app: AppBundle) -> Bool {
        guard let team = state.withLock({ $0.apps[app.identifier]?.team }) else { return true }
        return signature.team == team
    }

    /// Reads the seal of an app that an earlier installation accepted.
    /// - Parameter digest: the digest of the app's files that the installation recorded; nil if it recorded none.
    func load(_ app: AppBundle, at path: String, digest: String?) throws(BrokerError) -> AppSignature {
        do throws(SigningError) {
            let sealed = try SealedApp.load(app)
            let signature =
                try sealed.map { (sealed) throws(SigningError) in try AppSignature(app, sealed: sealed) }
                ?? AppSignature(unsigned: app, digest: digest)
            if let digest, digest != signature.digest { throw SigningError(changedSinceInstallation: app.identifier) }
            if let team = signature.team {
                try trusted.change { (trust) throws(SigningError) in try trust.accept(team, for: app.identifier) }
            }
            return signature
        } catch {
            throw BrokerError(error, at: path)
        }
    }

    func record(_ signature: AppSignature, for app: AppBundle) {
        state.withLock { state in
            state.apps[app.identifier] = signature
            state.seals = state.seals.filter { $0.value.bundle != nil }
            for (bundle, check) in signature.extensions {
                state.seals[ObjectIdentifier(bundle)] = Seal(
                    bundle: bundle, team: signature.team, groups: signature.groups, check: check)
            }
        }
    }

    func drop(_ app: String) {
        state.withLock { _ = $0.apps.removeValue(forKey: app) }
    }
}

extension InstalledSignatures {
    /// Refuses a launch if the extension's files have changed since its app was installed.
    func check(_ bundle: ExtensionBundle) throws(BrokerError) {
        if let frameworks = bundle.frameworks, (try? frameworks.isUnchanged()) != true {
            throw .changed(frameworks.path, of: bundle)
        }
        let seal = state.withLock { $0.seals[ObjectIdentifier(bundle)] }
        do throws(SigningError) {
            if let seal, seal.bundle === bundle {
                switch seal.check {
                case .read(let sealed): return try sealed.check(bundle)
                case .unread(let app): return try app.check(bundle)
                }
            }
        } catch {
            throw BrokerError(error, at: bundle.identifier)
        }
        guard (try? bundle.executable.isUnchanged()) ?? false else {
            throw BrokerError(
                .invalidBundle, what: "\(bundle.executable.path) has changed since it was installed",
                place: bundle.identifier, remedy: "install the app again")
        }
    }

    /// The team that has signed the app's version in use; nil if no team has signed it.
    func team(ofApp identifier: String) -> Team? { state.withLock { $0.apps[identifier]?.team } }

    /// The team that has signed the app of an extension; nil if no team has signed it.
    func team(of bundle: ExtensionBundle) -> Team? {
        state.withLock { $0.seals[ObjectIdentifier(bundle)] }.flatMap { $0.bundle === bundle ? $0.team : nil }
    }

    /// The groups that an extension may join according to its app. A team must have signed the app, and both the app
    /// and the extension must declare the group.
    func groups(of bundle: ExtensionBundle) -> Set<String> {
        let seal = state.withLock { $0.seals[ObjectIdentifier(bundle)] }
        guard let seal, seal.bundle === bundle, seal.team != nil else { return [] }
        return seal.groups.intersection(bundle.entitlements.applicationGroups)
    }

    /// The same extensions, each with the team that signed its app.
    func named(_ extensions: [InstalledExtension]) -> [InstalledExtension] {
        let (teams, trust) = (state.withLock { $0.apps.compactMapValues(\.team) }, trusted.trust)
        guard !teams.isEmpty else { return extensions }
        return extensions.map { one in
            // Another version of the app may have another signature than the version in use.
            guard one.verdict != .superseded else { return one }
            var one = one
            one.team = teams[one.containingApp].map { SigningTeam($0, isTrusted: trust.trusts($0)) }
            return one
        }
    }

    func trust(key: String, for app: String?) throws(BrokerError) -> SigningTeam {
        do throws(SigningError) {
            let team = try TeamFile.team(in: key)
            try trusted.change { (trust) throws(SigningError) in try trust.trust(team, for: app.map { [$0] } ?? []) }
            return SigningTeam(team, isTrusted: true)
        } catch {
            throw BrokerError(error, at: app ?? error.place)
        }
    }

    func forgetPin(of app: String) throws(BrokerError) {
        do throws(SigningError) {
            try trusted.change { (trust) throws(SigningError) in trust.forget(app: app) }
        } catch {
            throw BrokerError(error, at: app)
        }
    }
}

extension SigningTeam {
    init(_ team: Team, isTrusted: Bool) {
        self.init(
            name: team.name, identifier: team.identifier, publicKey: team.publicKey.hex, isTrusted: isTrusted)
    }
}

extension BrokerError {
    fileprivate static func changed(_ path: String, of bundle: ExtensionBundle) -> BrokerError {
        BrokerError(
            .invalidBundle, what: "\(path) has changed since it was installed", place: bundle.identifier,
            remedy: "install the app again")
    }

    /// - Parameter place: the app's path or identifier, as the caller knows it.
    init(_ error: SigningError, at place: String) {
        let code: Code =
            switch error.code {
            case .untrustedTeam: .untrustedTeam
            case .olderVersion: .olderVersion
            case .system, .damagedTrust: .system
            case .damagedSeal, .changedContents, .unsafeContents, .invalidBundle, .damagedKey: .invalidBundle
            }
        let isSame = place == error.place || place.hasSuffix("/" + error.place)
        self.init(
            code, what: isSame ? error.what : "\(error.place): \(error.what)", place: place, remedy: error.remedy)
    }
}
