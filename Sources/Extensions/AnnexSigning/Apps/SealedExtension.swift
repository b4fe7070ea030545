package import AnnexBundle
internal import AnnexLinux
internal import Glibc

/// The files of one extension of a signed app that each launch checks again: the program, `Info.plist` and the seal.
package final class SealedExtension: Sendable {
    private let program: SealedFile
    private let info: SealedFile
    private let seal: SealedFile
    private let sealDirectory: SealDirectory

    /// Prepares the checks for the extensions of an app, in the order of `app.extensions`.
    ///
    /// - Parameters:
    ///   - app: an app that was checked.
    ///   - sealed: the result of the check.
    /// - Returns: an empty list if the app is not signed.
    package static func all(of app: AppBundle, sealed: SealedApp) throws(SigningError) -> [SealedExtension] {
        guard let digest = sealed.sealDigest else { return [] }
        let directory: SealDirectory
        do throws(SystemError) {
            directory = try SealDirectory(of: app)
        } catch {
            throw SigningError(error, place: app.shownName)
        }
        var all: [SealedExtension] = []
        for bundle in app.extensions {
            all.append(
                try SealedExtension(bundle, of: app, sealed: sealed, sealDirectory: directory, sealDigest: digest))
        }
        return all
    }

    private init(
        _ bundle: ExtensionBundle, of app: AppBundle, sealed: SealedApp, sealDirectory: SealDirectory,
        sealDigest: Digest
    ) throws(SigningError) {
        let programPath = app.path(below: bundle.executable.path)
        let infoPath = app.path(below: bundle.directory.path) + "/" + Self.infoName
        guard let programDigest = sealed.digest(of: programPath), let infoDigest = sealed.digest(of: infoPath) else {
            throw SigningError(
                .changedContents, what: "is not part of the signed app (P8)", place: programPath,
                remedy: "get the app from its team again")
        }
        let begun = sealed.checkedFrom
        do throws(SystemError) {
            program = try SealedFile(
                bundle.executable.descriptor, shown: programPath, digest: programDigest, checkedFrom: begun)
            info = try SealedFile(
                try bundle.directory.descriptor.openToCheck(Self.infoName), shown: infoPath, digest: infoDigest,
                checkedFrom: begun)
            seal = try SealedFile(
                try sealDirectory.file(), shown: SealFile.path, digest: sealDigest, checkedFrom: begun)
        } catch {
            throw SigningError(error, place: app.shownName)
        }
        self.sealDirectory = sealDirectory
    }

    private static let infoName = "Info.plist"

    /// Refuses a launch if one of the files has changed since the app was checked.
    ///
    /// The program is the open file that the launch executes. The other two are found by their paths, because that is how
    /// the extension finds them.
    package func check(_ bundle: ExtensionBundle) throws(SigningError) {
        try program.check(bundle.executable.descriptor)
        try info.check { () throws(SystemError) in try bundle.directory.descriptor.openToCheck(Self.infoName) }
        try seal.check { () throws(SystemError) in try sealDirectory.file() }
    }
}

/// The directory of an app's seal, which all extensions of the app share.
private final class SealDirectory: Sendable {
    private let directory: Descriptor

    init(of app: AppBundle) throws(SystemError) {
        directory = try app.directory.descriptor.openBeneath(SealFile.directory, O_RDONLY | O_DIRECTORY)
    }

    func file() throws(SystemError) -> Descriptor { try directory.openToCheck(SealFile.name) }
}

extension Descriptor {
    /// Opens a file beneath this directory without waiting for a pipe.
    func openToCheck(_ path: String) throws(SystemError) -> Descriptor {
        try openBeneath(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    }
}

extension AppBundle {
    /// A path below the app, of a file that was found in it.
    fileprivate func path(below path: String) -> String { String(path.dropFirst(directory.path.count + 1)) }
}
