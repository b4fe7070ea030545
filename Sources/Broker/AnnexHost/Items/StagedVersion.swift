internal import AnnexLinux
internal import AnnexModel
internal import Glibc
internal import Synchronization

/// A new version of a file that an extension writes: a file without a name, in the folder of the original.
///
/// It vanishes with this value, also if the host dies. The extension may keep its descriptor, so a commit puts a copy in
/// the place of the original, which the extension cannot write to.
final class StagedVersion: Sendable {
    /// The original's path without links.
    private let path: String
    private let folder: String
    /// The original as the next commit must find it.
    private let before: Mutex<FileStatus>
    private let draft: Descriptor

    /// The most bytes of a version.
    private static let largest: Int64 = 1 << 30
    /// `O_TMPFILE`. Glibc's import lacks the name; the number is the same on every architecture that Annex supports.
    private static let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY

    init(of file: ItemFile) throws(ItemFailure) {
        let original = try file.open()
        do throws(SystemError) {
            before = Mutex(try original.status())
            path = try Self.path(of: original)
            folder = path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/"
            draft = try Descriptor.open(folder, Self.unnamed | O_RDWR, mode: 0o600)
        } catch {
            throw .system(error)
        }
    }

    /// Empties the version and opens it for writing, for the extension.
    func begin() throws(SystemError) -> Descriptor {
        try draft.resize(to: 0)
        return try Descriptor.open("/proc/self/fd/\(draft.number)", O_WRONLY | O_NOCTTY)
    }

    /// Puts a copy of the version in the place of the original. A later commit replaces that copy.
    func commit() throws {
        try checkOriginal()
        let size = try draft.status().size
        guard size <= Self.largest else { throw ItemFailure.tooLong(limit: Int(Self.largest)) }
        let name = "\(folder).annex-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let copy = try Descriptor.open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        do {
            try fill(copy, size: size)
            try takeRights(copy)
            try checkOriginal()
            // SAFETY: both paths are lent for the call.
            guard unsafe rename(name, path) == 0 else { throw SystemError("rename", errno: errno, path: path) }
            let now = try copy.status()
            before.withLock { $0 = now }
        } catch {
            // SAFETY: the path is lent for the call.
            _ = unsafe unlink(name)
            throw error
        }
    }

    private func fill(_ copy: borrowing Descriptor, size: Int64) throws {
        var offset: Int64 = 0
        while offset < size {
            let piece = try draft.read(at: offset, count: Int(min(size - offset, 1 << 20)))
            guard !piece.isEmpty else { throw ItemFailure.changedWhileRead }
            try copy.writeAll(piece)
            offset += Int64(piece.count)
        }
        guard fsync(copy.number) == 0 else { throw SystemError("fsync", errno: errno, path: path) }
    }

    /// Gives the copy the original's owner and mode. The owner comes first, because changing it clears bits of the mode.
    private func takeRights(_ copy: borrowing Descriptor) throws(SystemError) {
        let (own, before) = (try copy.status(), before.withLock { $0 })
        if own.user != before.user || own.group != before.group, fchown(copy.number, before.user, before.group) != 0 {
            throw SystemError("fchown", errno: errno, path: path)
        }
        guard fchmod(copy.number, mode_t(before.mode)) == 0 else {
            throw SystemError("fchmod", errno: errno, path: path)
        }
    }

    private func checkOriginal() throws {
        let now = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY).status()
        guard now == before.withLock({ $0 }) else {
            throw ItemFailure.failed("\(path) has changed since the new version was begun, and was kept as it is")
        }
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
