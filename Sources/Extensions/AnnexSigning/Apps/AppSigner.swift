internal import AnnexBundle
internal import AnnexLinux
internal import AnnexModel
internal import Glibc

/// Signs apps. It reads every file, and writes the seal with the team's signature.
package enum AppSigner {
    /// Signs the app at a path. If the app has an older signature, the new signature replaces it.
    ///
    /// The new seal file is complete and on the disk before a rename puts this file in its place. If the signing is
    /// killed, the app has either the old signature or the new signature.
    /// - Throws: an error if the app breaks a rule of packaging, or has files that cannot be sealed: devices, pipes and
    ///   sockets, hard links, links out of the app, and files that other users can change.
    package static func sign(app path: String, with key: borrowing TeamKey) throws(SigningError) -> SealedApp {
        let app = try AppBundle.forSealing(path)
        let (shown, begun) = (app.shownName, WallClock.now())
        let contents = try AppContents(of: app.directory.descriptor, shown: shown)
        try check(contents.hazards, shown: shown)
        let file = try SealFile(
            Seal(
                app: app.identifier, version: app.version.text, entries: contents.entries),
            signedBy: key)
        do throws(SystemError) {
            try put(file.bytes, into: app, path: path)
        } catch {
            throw SigningError(error, place: "\(shown)/\(SealFile.path)")
        }
        return SealedApp(file, checkedFrom: begun)
    }

    private static func check(_ hazards: [SealDifference], shown: String) throws(SigningError) {
        guard let first = hazards.first else { return }
        let rest = hazards.count > 1 ? " and \(hazards.count - 1) more" : ""
        throw SigningError(
            .unsafeContents, what: "cannot be sealed: \(first)\(rest)", place: shown,
            remedy: "chmod -R go-w the app, and copy each hard link to a file of its own",
            differences: Array(hazards.prefix(SealDifferences.most)))
    }

    /// Creates the new seal file beside the app and then moves it into the app. The process that signs may be killed
    /// at any moment. An unfinished file inside the app would then count as a file that was added to the app.
    private static func put(_ bytes: [UInt8], into app: AppBundle, path: String) throws(SystemError) {
        let beside = try Descriptor.directory(path + "/..")
        let draft = Descriptor.draftName(of: "annex-seal")
        try beside.write(bytes, toDraft: draft, mode: 0o644) { () throws(SystemError) in
            let directory = try sealDirectory(of: app)
            try beside.move(draft, into: directory, as: SealFile.name)
            try directory.synchronize()
        }
    }

    private static func sealDirectory(of app: AppBundle) throws(SystemError) -> Descriptor {
        do throws(SystemError) {
            try app.directory.descriptor.makeDirectory(SealFile.directory, mode: 0o755)
        } catch {
            guard error.errno == EEXIST else { throw error }
        }
        return try app.directory.descriptor.openBeneath(SealFile.directory, O_RDONLY | O_DIRECTORY)
    }
}
