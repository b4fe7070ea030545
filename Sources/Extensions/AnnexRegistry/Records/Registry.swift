package import AnnexBundle
package import AnnexModel

/// The installed apps of one broker with their extensions, as a value. A caller makes a change on a copy. The caller
/// first records the change in a store that outlasts the broker, and only then replaces the original with the copy.
///
/// Comparisons of identifiers ignore the case of letters, as Apple's comparisons do.
package struct Registry: Sendable {
    struct Entry: Sendable {
        /// The app's builds, without the user's choices. The registry's `choices` and `grants` hold the choices.
        let known: KnownApp
        let app: AppBundle
        let records: [ExtensionRecord]
    }

    /// The apps by folded identifier, which is the identifier in lower case. `extensions` holds the extensions that
    /// keep the rules of packaging, also by folded identifier.
    private(set) var apps: [String: Entry] = [:]
    private(set) var extensions: [String: ExtensionRecord] = [:]
    /// The user's switches: whether an extension is on, by the extension's folded identifier. An extension that the
    /// user has not switched is not listed.
    private(set) var choices: [String: Bool] = [:]
    /// The entitlements that the user has granted, by the extension's folded identifier.
    var grants: [String: GrantedEntitlements] = [:]
    private var lastNumber: UInt64 = 0

    package init() {}

    // MARK: Changes

    /// Adds an app. If other versions of the app are known, the election decides which version is used.
    ///
    /// - Parameters:
    ///   - digest: the digest of the app's files; nil if it was not measured.
    ///   - points: the extension points, which decide whether hosts may begin each extension.
    ///   - most: how many versions of the app stay known.
    /// - Throws: an error if another app has an extension with the same identifier as an extension of this app. For
    ///   example, `com.a` and `com.a.b` may both carry `com.a.b.c`.
    package mutating func install(
        _ app: AppBundle, digest: String? = nil, points: PointLibrary = .shipped, keeping most: Int = 2
    ) throws(RegistryError) -> Installation {
        let build = AppBuild(version: app.version, digest: digest, path: app.directory.path)
        let known = known(app.identifier)
        let others = known?.builds.filter { $0.version != build.version } ?? []
        let winner = Election.winner(among: others + [build], pinned: known?.pinned) ?? build
        let kept = Election.kept(
            (others + [build]).filter { $0.version != winner.version }, last: build.version, most: most - 1)
        guard winner.version != build.version else {
            return try elect(app, as: build, others: kept, pinned: known?.pinned, points: points)
        }
        return try keep(app, as: build, beside: winner, others: kept, points: points)
    }

    /// Adds an app as it was recorded earlier, without an election.
    package mutating func restore(
        _ app: AppBundle, as known: KnownApp, points: PointLibrary = .shipped
    ) throws(RegistryError) -> Installation {
        let build = AppBuild(version: app.version, digest: known.elected.digest, path: known.elected.path)
        for (identifier, isOn) in known.choices { choices[Self.folded(identifier)] = isOn }
        for (identifier, granted) in known.grants { grants[Self.folded(identifier)] = granted }
        return try elect(app, as: build, others: known.others, pinned: known.pinned, points: points)
    }

    /// The build that `pin` would use: the given version, or the highest version if `version` is nil. This function
    /// does not open the build. The caller opens the build and passes it to `pin`.
    package func build(of app: String, version: BundleVersion?) throws(RegistryError) -> AppBuild {
        guard let known = known(app) else { throw .unknownApp(app, installed: appIdentifiers) }
        guard let version else { return Election.winner(among: known.builds, pinned: nil) ?? known.elected }
        guard let build = known.builds.first(where: { $0.version == version }) else {
            throw .unknownVersion(version, of: known)
        }
        return build
    }

    /// Uses one version of an app from now on.
    ///
    /// - Parameters:
    ///   - app: the build that `build(of:version:)` returned, opened again.
    ///   - digest: the digest of the app's files as they are now; nil if it was not measured.
    ///   - version: the version to pin. If `version` is nil, the app has no pin, and an election decides which
    ///     version is used.
    package mutating func pin(
        _ app: AppBundle, digest: String? = nil, to version: BundleVersion?, points: PointLibrary = .shipped
    ) throws(RegistryError) -> Installation {
        let build = try build(of: app.identifier, version: version)
        guard let known = known(app.identifier) else { throw .unknownApp(app.identifier, installed: appIdentifiers) }
        let isSame = digest == nil || build.digest == nil || digest == build.digest
        guard app.version == build.version, app.directory.path == build.path, isSame else {
            throw .changed(known, build: build)
        }
        // If this build is in use already, its records stay as they are. So running extensions are not disturbed.
        if build == known.elected, let entry = apps[Self.folded(app.identifier)] {
            return put(entry.app, records: entry.records, as: build, others: known.others, pinned: version)
        }
        let others = known.builds.filter { $0.version != build.version }
        return try elect(app, as: build, others: others, pinned: version, points: points)
    }

    /// Removes an app with all its versions.
    package mutating func remove(_ app: String) throws(RegistryError) -> (known: KnownApp, dropped: [String]) {
        guard let known = known(app) else { throw .unknownApp(app, installed: appIdentifiers) }
        let gone = bundles(of: app).map(\.identifier)
        forget(gone)
        apps[Self.folded(app)] = nil
        return (known, gone)
    }

    /// Forgets a build that is known, but not in use. Changes nothing if the build is in use or unknown.
    /// - Returns: the app as it is recorded now.
    package mutating func forget(_ build: AppBuild, of app: String) throws(RegistryError) -> KnownApp {
        guard let known = known(app), let entry = apps[Self.folded(app)] else {
            throw .unknownApp(app, installed: appIdentifiers)
        }
        return put(
            entry.app, records: entry.records, as: known.elected, others: known.others.filter { $0 != build },
            pinned: known.pinned
        ).known
    }

    /// Switches an extension on or off, as the user chose.
    /// - Returns: the extension's app as it is recorded now.
    package mutating func setEnabled(_ isEnabled: Bool, for identifier: String) throws(RegistryError) -> KnownApp {
        let app = try found(identifier).info.containingApp
        choices[Self.folded(identifier)] = isEnabled
        guard let known = known(app) else { throw .unknownApp(app, installed: appIdentifiers) }
        return known
    }
}

/// What changed when an app was installed, pinned or unpinned.
package struct Installation: Sendable {
    /// The app as it is recorded now.
    package let known: KnownApp
    /// The records of the extensions in the build that was installed, pinned or elected.
    package let records: [ExtensionRecord]
    /// Extensions that were known, but that the version in use does not carry.
    package let dropped: [String]
    /// Builds that are no longer known.
    package let forgotten: [AppBuild]
    /// Whether the build that was installed or pinned is now the build in use.
    package let isElected: Bool
    /// Entitlements that are no longer granted, by the extension's identifier. A grant ends if another team signs the
    /// app, or if the extension serves another extension point.
    package var endedGrants: [String: Set<String>] = [:]
}

extension Registry {
    /// Puts a build into use.
    private mutating func elect(
        _ app: AppBundle, as build: AppBuild, others: [AppBuild], pinned: BundleVersion?, points: PointLibrary
    ) throws(RegistryError) -> Installation {
        try checkOwners(of: app)
        var records: [ExtensionRecord] = []
        for bundle in app.extensions {
            lastNumber += 1
            records.append(ExtensionRecord(bundle, in: app, of: build, points: points, number: lastNumber))
        }
        records += app.rejected.map { ExtensionRecord($0, of: app, build: build) }
        return put(app, records: records, as: build, others: others, pinned: pinned)
    }

    /// Records a build that is known, but is not put into use.
    private mutating func keep(
        _ app: AppBundle, as build: AppBuild, beside winner: AppBuild, others: [AppBuild], points: PointLibrary
    ) throws(RegistryError) -> Installation {
        try checkOwners(of: app)
        let key = Self.folded(app.identifier)
        guard let entry = apps[key] else { throw .unknownApp(app.identifier, installed: appIdentifiers) }
        let isPinned = entry.known.pinned != nil
        let records =
            app.extensions.map { ExtensionRecord($0, in: app, of: build, points: points, number: 0) }
            + app.rejected.map { ExtensionRecord($0, of: app, build: build) }
        let put = put(entry.app, records: entry.records, as: winner, others: others, pinned: entry.known.pinned)
        return Installation(
            known: put.known, records: records.map { $0.superseded(by: winner.version, isPinned: isPinned) },
            dropped: [], forgotten: put.forgotten, isElected: false)
    }

    private mutating func put(
        _ app: AppBundle, records: [ExtensionRecord], as build: AppBuild, others: [AppBuild],
        pinned: BundleVersion?
    ) -> Installation {
        let key = Self.folded(app.identifier)
        let old = known(app.identifier)?.builds ?? []
        let carried = Set(app.extensions.map(\.identifier))
        // If the app no longer carries an extension, the user's decisions about the extension are forgotten. If the
        // extension comes back later, it counts as new.
        let dropped = bundles(of: app.identifier).map(\.identifier).filter { !carried.contains($0) }
        forget(dropped)
        let endedGrants = forgetDecisions(onOtherPointsOf: records)
        for record in records where record.bundle != nil {
            extensions[Self.folded(record.identifier)] = record
            keepGrants(of: record)
        }
        let known = KnownApp(app.identifier, elected: build, others: others, pinned: pinned)
        apps[key] = Entry(known: known, app: app, records: records)
        let paths = Set(known.builds.map(\.path))
        return Installation(
            known: self.known(app.identifier) ?? known, records: records, dropped: dropped,
            forgotten: old.filter { !paths.contains($0.path) }, isElected: true, endedGrants: endedGrants)
    }

    /// Forgets the user's decisions about extensions that now serve another extension point. The reason is that the
    /// user decided about another kind of extension.
    /// - Returns: the grants that ended.
    private mutating func forgetDecisions(onOtherPointsOf records: [ExtensionRecord]) -> [String: Set<String>] {
        var ended: [String: Set<String>] = [:]
        for record in records where record.bundle != nil {
            let key = Self.folded(record.identifier)
            guard let old = extensions[key], old.info.extensionPoint != record.info.extensionPoint else { continue }
            choices[key] = nil
            ended[record.identifier] = grants.removeValue(forKey: key)?.names
        }
        return ended
    }

    private func checkOwners(of app: AppBundle) throws(RegistryError) {
        // Trust and private directories belong to an identifier in its exact spelling. An app whose identifier
        // differs only in capitals is refused, so that it cannot take over the trust and the directories of another
        // app.
        if let known = known(app.identifier), known.identifier != app.identifier {
            throw .sameButCapitals(app.identifier, as: known.identifier)
        }
        for bundle in app.extensions {
            guard let owner = extensions[Self.folded(bundle.identifier)]?.info.containingApp,
                Self.folded(owner) != Self.folded(app.identifier)
            else { continue }
            throw .taken(bundle.identifier, by: owner, for: app.identifier)
        }
    }

    private mutating func forget(_ identifiers: [String]) {
        for key in identifiers.map(Self.folded) {
            choices[key] = nil
            grants[key] = nil
            extensions[key] = nil
        }
    }

    /// Gives an extension a new installation number. Its files stay the same.
    mutating func renumber(_ record: ExtensionRecord) {
        let app = Self.folded(record.info.containingApp)
        guard let entry = apps[app] else { return }
        lastNumber += 1
        let renumbered = record.renumbered(lastNumber)
        extensions[Self.folded(record.identifier)] = renumbered
        let records = entry.records.map { $0.identifier == record.identifier ? renumbered : $0 }
        apps[app] = Entry(known: entry.known, app: entry.app, records: records)
    }

    static func folded(_ identifier: String) -> String { BundleIdentifier.folded(identifier) }
}
