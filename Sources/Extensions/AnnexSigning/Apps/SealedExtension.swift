package import AnnexBundle
internal import AnnexLinux
internal import Glibc

/// The files of one extension of a signed app that each launch checks again: the program, `Info.plist` and the seal.
package struct SealedExtension: Sendable {
    private let program: SealedFile
    private let info: SealedFile
    private let seal: SealedFile
    private let infoPath: String

    /// - Parameters:
    ///   - bundle: an extension of the app.
    ///   - app: the app that carries it.
    ///   - sealed: the result of the app's check.
    /// - Returns: nil if the app is not signed.
    package init?(_ bundle: ExtensionBundle, of app: AppBundle, sealed: SealedApp) throws(SigningError) {
        guard let sealDigest = sealed.sealDigest else { return nil }
        let programPath = app.path(below: bundle.executable.path)
        infoPath = app.path(below: bundle.directory.path) + "/Info.plist"
        guard let programDigest = sealed.digest(of: programPath), let infoDigest = sealed.digest(of: infoPath) else {
            throw SigningError(.changedContents, what: "is not part of the signed app (P8)", place: programPath)
        }
        let begun = sealed.checkedFrom
        do throws(SystemError) {
            program = try SealedFile(
                bundle.executable.descriptor, shown: programPath, digest: programDigest, checkedFrom: begun)
            info = try SealedFile(
                try app.open(infoPath), shown: infoPath, digest: infoDigest, checkedFrom: begun)
            seal = try SealedFile(
                try app.open(SealFile.path), shown: SealFile.path, digest: sealDigest, checkedFrom: begun)
        } catch {
            throw SigningError(error, place: app.shownName)
        }
    }

    /// Refuses a launch if one of the files has changed since the app was checked.
    ///
    /// The program is the open file that the launch executes. The other two are found by their paths, because that is how
    /// the extension finds them.
    package func check(_ bundle: ExtensionBundle, of app: AppBundle) throws(SigningError) {
        try program.check(bundle.executable.descriptor)
        try info.check(opened(infoPath, of: app))
        try seal.check(opened(SealFile.path, of: app))
    }

    private func opened(_ path: String, of app: AppBundle) throws(SigningError) -> Descriptor {
        do throws(SystemError) {
            return try app.open(path)
        } catch {
            throw SigningError(
                .changedContents, what: "cannot be opened: \(Escaped(error.cause)) (P8)", place: path,
                remedy: "install the app again")
        }
    }
}

extension AppBundle {
    /// A path below the app, of a file that was found in it.
    fileprivate func path(below path: String) -> String { String(path.dropFirst(directory.path.count + 1)) }

    fileprivate func open(_ path: String) throws(SystemError) -> Descriptor {
        try directory.descriptor.openBeneath(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    }
}
