package import AnnexBundle
internal import AnnexLinux
internal import AnnexModel
internal import Glibc

/// A checked app: its files were read, and compared with the app's seal if the app has one.
package struct SealedApp: Sendable {
    /// The team that signed the app; nil if the app is not signed.
    package let team: Team?
    /// Every file of the app with its digest. If the app is not signed, the list was made from its files.
    package let seal: Seal
    /// The digest of everything in the app, with its identifier and version.
    package let contentDigest: Digest
    /// The digest of the seal's own file; nil if the app is not signed.
    let sealDigest: Digest?
    /// When the check began.
    let checkedFrom: WallClock

    /// Creates the value for an app whose files match the app's seal.
    init(_ file: SealFile, checkedFrom: WallClock) {
        (team, seal, contentDigest) = (file.team, file.seal, file.contentDigest)
        sealDigest = Digest(of: file.bytes, for: .file)
        self.checkedFrom = checkedFrom
    }

    /// Creates the value for an app without a signature. `seal` is the list that was made from the app's files.
    private init(unsigned seal: Seal, checkedFrom: WallClock) {
        (team, self.seal, contentDigest, sealDigest) = (nil, seal, seal.contentDigest, nil)
        self.checkedFrom = checkedFrom
    }

    /// Reads every file of an app once, and compares the files with the app's seal if the app has one.
    ///
    /// This function reads the directory that `AppBundle.open` opened, even if the app's path leads to another
    /// directory by now. This function accepts an app without a seal. Such an app has no team, and `TeamTrust`
    /// decides whether the app may be installed.
    /// - Throws: an error with every difference between the files and the seal. An error is also thrown if the seal
    ///   is damaged, or if a signed app has files that other users can change.
    package static func check(_ app: AppBundle) throws(SigningError) -> SealedApp {
        let (shown, begun) = (app.shownName, WallClock.now())
        let file = try app.sealFile(shown: shown)
        let contents = try AppContents(of: app.directory.descriptor, shown: shown)
        guard let file else {
            return SealedApp(
                unsigned: Seal(app: app.identifier, version: app.version.text, entries: contents.entries),
                checkedFrom: begun)
        }
        let differences = SealDifferences.between(sealed: file.seal.entries, found: contents.entries)
        guard differences.isEmpty, contents.hazards.isEmpty else {
            throw SigningError.changed(
                differences + contents.hazards, place: shown, signedBy: file.team)
        }
        try file.checkBelongs(to: app)
        return SealedApp(file, checkedFrom: begun)
    }
}

extension SealedApp {
    /// Whether an app has a seal, valid or not.
    package static func hasSeal(_ app: AppBundle) -> Bool {
        (try? app.directory.descriptor.openBeneath(SealFile.path, Descriptor.pathOnly)) != nil
    }

    /// Reads the seal of an installed app. The installation checked the app's files, and these files lie in a folder
    /// that no other user can change. This function verifies the signature again. It does not check the files again,
    /// because each launch checks the files that it needs.
    /// - Returns: nil if the app is not signed.
    package static func load(_ app: AppBundle) throws(SigningError) -> SealedApp? {
        guard let file = try app.sealFile(shown: app.shownName) else { return nil }
        try file.checkBelongs(to: app)
        return SealedApp(file, checkedFrom: WallClock(microseconds: 0))
    }

    /// The digest of a file of the app; nil if the app has no such file.
    package func digest(of path: String) -> Digest? {
        if case .file(_, let digest, _) = seal.content(of: path) { digest } else { nil }
    }

    /// Opens the app at a path, and checks its packaging and its files.
    package static func check(appAt path: String) throws(SigningError) -> SealedApp {
        try check(AppBundle.forSealing(path))
    }
}

extension SigningError {
    /// The error for an app whose files differ from its seal.
    static func changed(_ differences: [SealDifference], place: String, signedBy team: Team) -> SigningError {
        let sorted = differences.sorted { $0.path < $1.path }
        let listed = Array(sorted.prefix(SealDifferences.most))
        let few = listed.prefix(3).map(\.description).joined(separator: ", ")
        let rest = sorted.count > 3 ? " and \(sorted.count - 3) more" : ""
        return SigningError(
            .changedContents, what: "is not the app that \(team) signed: \(few)\(rest) (P8)", place: place,
            remedy: "get the app from its team again, or sign it again with annex sign", differences: listed)
    }
}

extension SealFile {
    /// Refuses a seal that belongs to another app or version. `Info.plist` is one of the sealed files, so only the
    /// signer can cause this fault.
    fileprivate func checkBelongs(to app: AppBundle) throws(SigningError) {
        guard Array(seal.app.utf8) == Array(app.identifier.utf8),
            Array(seal.version.utf8) == Array(app.version.text.utf8)
        else {
            throw SigningError(
                .damagedSeal, what: "has the seal of \(Escaped(seal.app)) \(Escaped(seal.version))",
                place: app.shownName, remedy: "sign the app again: annex sign")
        }
    }
}

extension AppBundle {
    static func forSealing(_ path: String) throws(SigningError) -> AppBundle {
        do throws(BundleError) {
            return try AppBundle.open(path)
        } catch {
            throw SigningError(.invalidBundle, what: "\(error)", place: "\(Escaped(path))")
        }
    }

    /// The app's name to show in errors, such as `Pictures.app`.
    var shownName: String { "\(Escaped(directory.path.split(separator: "/").last.map(String.init) ?? directory.path))" }

    /// The app's seal with a valid signature; nil if the app has none.
    func sealFile(shown: String) throws(SigningError) -> SealFile? {
        let bytes: [UInt8]
        do throws(SystemError) {
            let file = try directory.descriptor.openBeneath(SealFile.path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            let status = try file.status()
            guard status.kind == .regular, status.mode & 0o022 == 0, status.links <= 1 else {
                throw SystemError("open", errno: EPERM, remedy: "sign the app again: annex sign")
            }
            guard status.size <= SealFile.mostBytes else { throw SystemError("read", errno: EFBIG) }
            bytes = try file.readAll(atMost: SealFile.mostBytes)
        } catch {
            if error.errno == ENOENT { return nil }
            throw SigningError(
                .damagedSeal, what: "cannot be read: \(Escaped(error.cause))", place: "\(shown)/\(SealFile.path)",
                remedy: error.remedy ?? "sign the app again: annex sign")
        }
        guard let file = SealFile(verifying: bytes) else {
            throw SigningError(
                .damagedSeal, what: "is not a seal with a valid signature (P8)", place: "\(shown)/\(SealFile.path)",
                remedy: "get the app from its team again, or sign it again with annex sign")
        }
        return file
    }
}
