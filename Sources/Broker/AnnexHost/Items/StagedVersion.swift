internal import AnnexLinux
internal import AnnexModel
internal import Glibc
internal import Synchronization

/// A new version of a file. The extension writes the version, which is a file without a name in the folder of the
/// original.
///
/// The version vanishes when this object is released, and also if the host dies. The extension may keep its descriptor
/// of the version. So a commit does not put the version itself in the place of the original, but a copy. The extension
/// cannot write to this copy.
final class StagedVersion: Sendable {
    private struct Gate {
        var isWithdrawn = false
        var isBusy = false
    }

    /// The original's path without links, for errors.
    private let path: String
    /// The original's folder. Its descriptor is held, so that a later change of a path cannot lead to another folder.
    private let folder: Descriptor
    private let name: String
    private let gate = Mutex(Gate())
    /// The status that the original must have at the next commit.
    private let before: Mutex<FileStatus>
    private let draft: Descriptor

    /// The most bytes of a version.
    private static let largest: Int64 = 1 << 30
    /// The flag `O_TMPFILE`. Glibc's import lacks this name. The number is the same on every architecture that Annex
    /// supports.
    private static let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY

    init(of file: ItemFile) throws(ItemFailure) {
        let original = try file.open()
        do throws(SystemError) {
            before = Mutex(try original.status())
            path = try Self.path(of: original)
            let parts = path.split(separator: "/")
            name = parts.last.map(String.init) ?? ""
            folder = try Descriptor.directory(parts.dropLast().reduce("") { $0 + "/" + $1 } + "/")
            // Without O_EXCL, the extension could give the file a name.
            draft = try folder.openBeneath(".", Self.unnamed | O_RDWR | O_EXCL, mode: 0o600)
        } catch {
            throw .system(error)
        }
    }

    /// Empties the version and opens it for the extension to write.
    func begin() throws(SystemError) -> Descriptor {
        try draft.resize(to: 0)
        return try Descriptor.open("/proc/self/fd/\(draft.number)", O_WRONLY | O_NOCTTY)
    }

    /// Ends the version. After this call, no commit puts the version in place, even if a commit is in progress.
    func withdraw() { gate.withLock { $0.isWithdrawn = true } }

    /// Whether the original is no longer the file for which this version was begun.
    var isStale: Bool { (try? checkOriginal()) == nil }

    /// Puts a copy of the version in the place of the original. A later commit replaces that copy.
    func commit() throws {
        let isFree = gate.withLock { gate in
            defer { gate.isBusy = true }
            return !gate.isBusy
        }
        guard isFree else { throw ItemFailure.failed("a new version is being put in place already") }
        defer { gate.withLock { $0.isBusy = false } }
        try checkOriginal()
        let size = try draft.status().size
        guard size <= Self.largest else { throw ItemFailure.tooLong(limit: Int(Self.largest)) }
        let copyName = ".annex-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let copy = try folder.openBeneath(copyName, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        do {
            try fill(copy, size: size)
            try takeRights(copy)
            try put(copy, named: copyName)
        } catch {
            // After a failed exchange, this name may belong to another program's file.
            if isFile(copy, at: copyName) { try? folder.removeFile(copyName) }
            throw error
        }
    }

    /// Makes the last check and the exchange under the lock, so that no exchange follows a withdrawal.
    private func put(_ copy: borrowing Descriptor, named copyName: String) throws {
        try gate.withLock { gate in
            guard !gate.isWithdrawn else { throw ItemFailure.withdrawn }
            try checkOriginal()
            try exchange(copyName)
        }
        let now = try copy.status()
        before.withLock { $0 = now }
    }

    /// Exchanges the names of the copy and the original. So if another program saves the file after the last check,
    /// that program's version is not lost.
    private func exchange(_ copyName: String) throws {
        do throws(SystemError) {
            try folder.exchange(copyName, with: name)
        } catch {
            guard error.errno == EINVAL || error.errno == ENOSYS else { throw error }
            // This file system cannot exchange names, so only the last check protects the original.
            return try folder.rename(copyName, to: name)
        }
        guard isOriginal(copyName) else {
            try folder.exchange(copyName, with: name)
            throw changed
        }
        // The new version is in place, even if the former file cannot be removed.
        try? folder.removeFile(copyName)
    }

    private func isFile(_ file: borrowing Descriptor, at name: String) -> Bool {
        guard let one = try? file.status(), let other = try? original(named: name).status() else { return false }
        return one.device == other.device && one.inode == other.inode
    }

    /// Whether a file of the folder is the original. The time `changed` is not compared, because an exchange of names
    /// changes this time.
    private func isOriginal(_ other: String) -> Bool {
        guard let now = try? original(named: other).status() else { return false }
        let before = before.withLock { $0 }
        return now.device == before.device && now.inode == before.inode && now.size == before.size
            && now.modified == before.modified
    }

    private func fill(_ copy: borrowing Descriptor, size: Int64) throws {
        var offset: Int64 = 0
        while offset < size {
            guard !gate.withLock({ $0.isWithdrawn }) else { throw ItemFailure.withdrawn }
            let piece = try draft.read(at: offset, count: Int(min(size - offset, 1 << 20)))
            guard !piece.isEmpty else { throw ItemFailure.changedWhileRead }
            try copy.writeAll(piece)
            offset += Int64(piece.count)
        }
        guard fsync(copy.number) == 0 else { throw SystemError("fsync", errno: errno, path: path) }
    }

    /// Gives the copy the original's owner, rights and access control list. The set-user-ID and set-group-ID bits are
    /// left out, because the extension has written the contents.
    private func takeRights(_ copy: borrowing Descriptor) throws(SystemError) {
        let (own, before) = (try copy.status(), before.withLock { $0 })
        if own.user != before.user || own.group != before.group, fchown(copy.number, before.user, before.group) != 0 {
            throw SystemError("fchown", errno: errno, path: path)
        }
        try copy.copyAccessList(from: original(named: name))
        guard fchmod(copy.number, mode_t(before.mode & 0o777)) == 0 else {
            throw SystemError("fchmod", errno: errno, path: path)
        }
    }

    private func checkOriginal() throws {
        let now = try original(named: name).status()
        guard now == before.withLock({ $0 }) else { throw changed }
    }

    private func original(named name: String) throws(SystemError) -> Descriptor {
        try folder.openBeneath(name, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    }

    /// The error names the file but not its folder, because the extension must not learn where the host keeps its
    /// files.
    private var changed: ItemFailure {
        .failed("\(name) has changed since the new version was begun, and was kept as it is")
    }

    private static func path(of file: borrowing Descriptor) throws(SystemError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let link = "/proc/self/fd/\(file.number)"
        // SAFETY: readlink writes at most the size of the array.
        let count = unsafe readlink(link, &bytes, bytes.count)
        guard count > 0, count < bytes.count, bytes[0] == CChar(0x2F) else {
            throw SystemError("readlink", errno: count < 0 ? errno : ENAMETOOLONG, path: link)
        }
        guard let text = String(validating: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) else {
            throw SystemError("readlink", errno: EILSEQ, path: link, remedy: "rename the file: its path is not UTF-8")
        }
        return text
    }
}
