package import AnnexBundle
internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// The files of one extension that each launch checks again: the program, `Info.plist`, and the seal if the app is
/// signed.
package final class SealedExtension: Sendable {
    private let program: SealedFile
    private let info: SealedFile
    /// Nil if the app is not signed.
    private let seal: SealedFile?
    private let sealDirectory: SealDirectory?

    /// Prepares the checks for the extensions of an app, in the order of `app.extensions`.
    ///
    /// - Parameters:
    ///   - app: an app that was checked.
    ///   - sealed: the result of the check.
    package static func all(of app: AppBundle, sealed: SealedApp) throws(SigningError) -> [SealedExtension] {
        let directory: SealDirectory?
        do throws(SystemError) {
            directory = sealed.sealDigest == nil ? nil : try SealDirectory(of: app)
        } catch {
            throw SigningError(error, place: app.shownName)
        }
        var all: [SealedExtension] = []
        for bundle in app.extensions {
            all.append(try SealedExtension(bundle, of: app, sealed: sealed, sealDirectory: directory))
        }
        return all
    }

    private init(
        _ bundle: ExtensionBundle, of app: AppBundle, sealed: SealedApp, sealDirectory: SealDirectory?
    ) throws(SigningError) {
        let programPath = app.path(below: bundle.executable.path)
        let infoPath = app.path(below: bundle.directory.path) + "/" + Self.infoName
        guard let programDigest = sealed.digest(of: programPath), let infoDigest = sealed.digest(of: infoPath) else {
            throw SigningError(
                .changedContents, what: "was not among the files of the app when they were read (P8)",
                place: programPath,
                remedy: "get the app again")
        }
        let begun = sealed.checkedFrom
        do throws(SystemError) {
            program = try SealedFile(
                bundle.executable.descriptor, shown: programPath, digest: programDigest, checkedFrom: begun)
            info = try SealedFile(
                try bundle.directory.descriptor.openToCheck(Self.infoName), shown: infoPath, digest: infoDigest,
                checkedFrom: begun)
            seal = try Self.seal(in: sealDirectory, of: sealed)
        } catch {
            throw SigningError(error, place: app.shownName)
        }
        self.sealDirectory = sealDirectory
    }

    private static func seal(in directory: SealDirectory?, of app: SealedApp) throws(SystemError) -> SealedFile? {
        guard let directory, let digest = app.sealDigest else { return nil }
        return try SealedFile(
            try directory.file(), shown: SealFile.path, digest: digest, checkedFrom: app.checkedFrom)
    }

    private static let infoName = "Info.plist"

    /// Refuses a launch if one of the files has changed since the app was checked.
    ///
    /// The program is the open file that the launch executes. `Info.plist` and the seal are found by their paths,
    /// because the extension finds them by their paths too.
    package func check(_ bundle: ExtensionBundle) throws(SigningError) {
        try program.check(bundle.executable.descriptor)
        try info.check { () throws(SystemError) in try bundle.directory.descriptor.openToCheck(Self.infoName) }
        guard let seal, let sealDirectory else { return }
        try seal.check { () throws(SystemError) in try sealDirectory.file() }
    }
}

/// An unsigned app that was installed before its broker started. The broker knows only the digest of the app's files.
///
/// At the first launch of any extension of the app, all files of the app are read. From then on, each launch checks
/// only the files of its extension.
package final class UnreadApp: Sendable {
    private weak let app: AppBundle?
    private let digest: String
    /// The result of reading the app's files; nil until they were read. If the files have changed, the result is an
    /// error, and this error is kept too. So the files are read only once.
    private let outcome = Mutex<Result<[ObjectIdentifier: SealedExtension], SigningError>?>(nil)

    /// - Parameter digest: the content digest that was recorded when the app was installed, in hexadecimal digits.
    package init(_ app: AppBundle, digest: String) {
        self.app = app
        self.digest = digest
    }

    /// Refuses a launch if a file of the app has changed since the digest was recorded. Also refuses a launch if the
    /// app was replaced before its files were read. The weak reference `app` is nil then.
    package func check(_ bundle: ExtensionBundle) throws(SigningError) {
        let known = outcome.withLock { outcome -> Result<[ObjectIdentifier: SealedExtension], SigningError>? in
            if let outcome { return outcome }
            guard let app else { return nil }
            let result = Result { () throws(SigningError) in try read(app) }
            // If the machine lacked descriptors or memory, the error is not kept. The next launch tries again.
            if case .failure(let error) = result, error.code == .system { return result }
            outcome = result
            return result
        }
        guard let sealed = try known?.get()[ObjectIdentifier(bundle)] else {
            throw SigningError(replaced: bundle.identifier)
        }
        try sealed.check(bundle)
    }

    private func read(_ app: AppBundle) throws(SigningError) -> [ObjectIdentifier: SealedExtension] {
        let sealed = try SealedApp.check(app)
        guard sealed.team == nil, sealed.contentDigest.hex == digest else {
            throw SigningError(changedSinceInstallation: app.shownName)
        }
        let all = zip(app.extensions.map { ObjectIdentifier($0) }, try SealedExtension.all(of: app, sealed: sealed))
        return Dictionary(uniqueKeysWithValues: Array(all))
    }
}

/// The open directory of an app's seal. All extensions of the app share this object.
private final class SealDirectory: Sendable {
    private let directory: Descriptor

    init(of app: AppBundle) throws(SystemError) {
        directory = try app.directory.descriptor.openBeneath(SealFile.directory, O_RDONLY | O_DIRECTORY)
    }

    func file() throws(SystemError) -> Descriptor { try directory.openToCheck(SealFile.name) }
}

extension Descriptor {
    /// Opens a file beneath this directory. If the file is a pipe, the call does not block.
    func openToCheck(_ path: String) throws(SystemError) -> Descriptor {
        try openBeneath(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    }
}

extension AppBundle {
    /// The rest of a file's path after the path of the app's directory and a slash. The file must lie below that
    /// directory.
    fileprivate func path(below path: String) -> String { String(path.dropFirst(directory.path.count + 1)) }
}
