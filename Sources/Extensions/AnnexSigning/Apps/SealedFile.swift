internal import AnnexBundle
internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// The facts about one file of a checked app. With these facts, each launch finds out at little cost whether the file
/// still has the same contents.
///
/// The check uses the cheapest evidence that is sufficient. If fs-verity is enabled for the file, the evidence is the
/// kernel's own digest. Otherwise the evidence is the file's unchanged status. If the status has changed, the check
/// reads the contents again.
final class SealedFile: Sendable {
    private let shown: String
    private let digest: Digest
    /// The kernel's own digest of the file when the app was checked; nil if fs-verity was not enabled for the file.
    private let verity: [UInt8]?
    /// The file's status when its contents were last found to be correct; nil if the contents must be read again.
    private let known: Mutex<FileStatus?>

    /// - Parameters:
    ///   - file: a file whose contents were checked.
    ///   - shown: the file's path, for errors.
    ///   - digest: the digest of the contents.
    ///   - begun: when the check began.
    init(
        _ file: borrowing Descriptor, shown: String, digest: Digest, checkedFrom begun: WallClock
    ) throws(SystemError) {
        let status = try file.status()
        verity = file.verityDigest()
        known = Mutex(status.isSettled(before: begun) ? status : nil)
        self.shown = shown
        self.digest = digest
    }

    /// Refuses the file if its contents have changed, if it was replaced, or if other users can change it now.
    /// - Parameter file: the open file that the launch uses.
    func check(_ file: borrowing Descriptor) throws(SigningError) {
        let isSame: Bool
        do throws(SystemError) {
            let status = try file.status()
            guard status.links == 1, status.mode & 0o022 == 0 else {
                throw SystemError("fstat", errno: ESTALE)
            }
            isSame = try isUnchanged(file, status: status)
        } catch {
            throw changed(
                error.errno == ESTALE
                    ? "was replaced, has a second name, or can be changed by other users"
                    : "cannot be read: \(Escaped(error.cause))")
        }
        guard isSame else { throw changed("has other contents") }
    }

    /// Checks the file that `open` opens, as the function above does. Also refuses the file if it cannot be opened.
    func check(_ open: () throws(SystemError) -> Descriptor) throws(SigningError) {
        let file: Descriptor
        do throws(SystemError) {
            file = try open()
        } catch {
            throw changed("cannot be opened: \(Escaped(error.cause))")
        }
        try check(file)
    }

    private func isUnchanged(_ file: borrowing Descriptor, status: FileStatus) throws(SystemError) -> Bool {
        if let verity { return file.verityDigest() == verity }
        if known.withLock({ $0.map(status.isUnchanged) ?? false }) { return true }
        let begun = WallClock.now()
        let found = try FileDigester().digest(file, atMost: AppContents.mostBytes)
        guard found.digest == digest else { return false }
        known.withLock { $0 = found.status.isSettled(before: begun) ? found.status : nil }
        return true
    }

    private func changed(_ what: String) -> SigningError {
        SigningError(
            .changedContents, what: "\(what) since the app was installed (P8)", place: shown,
            remedy: "install the app again")
    }
}

extension FileStatus {
    /// Whether the file last changed well before the given moment. A file system's clock advances in steps of at most
    /// 10 ms. Two changes within one step leave the same `ctime`. So if a file has just changed, its `ctime` might not
    /// show a second change.
    fileprivate func isSettled(before moment: WallClock) -> Bool {
        changed / 1_000 < moment.microseconds - 20_000
    }
}
