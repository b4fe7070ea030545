internal import AnnexLinux
internal import Glibc

/// The file of a store, before SQLite opens it.
///
/// This process must never open the file by itself. If this process closed any descriptor of the file, the kernel
/// would free all locks that SQLite holds for this process (fcntl(2), record locks). A descriptor that was opened
/// with `O_PATH` is an exception: its close frees no locks.
enum StoreFile {
    /// Makes the file if it is missing. The call refuses a file that other users could change, or that has a second
    /// name.
    /// - Returns: whether the file is new.
    static func prepare(_ path: String) throws(StoreError) -> Bool {
        let isNew = try make(path)
        let status: FileStatus
        do throws(SystemError) {
            status = try Descriptor.open(path, Descriptor.pathOnly | O_NOFOLLOW).status()
        } catch {
            throw StoreError(error, at: path)
        }
        guard status.kind == .regular else {
            throw refusal(
                "is a link, a folder or a device", at: path, remedy: "move it away; nothing was changed")
        }
        guard status.user == geteuid() else {
            throw refusal("belongs to uid \(status.user)", at: path, remedy: "use Annex as that user")
        }
        guard status.mode & 0o022 == 0 else {
            throw refusal(
                "can be changed by other users", at: path, remedy: "set its mode: chmod 600 store.db")
        }
        guard status.links == 1 else {
            // SQLite finds the log by the file's name. A file with two names would have two logs.
            throw refusal("has \(status.links) names", at: path, remedy: "remove the other hard links")
        }
        // SQLite treats a file of one byte as empty, and would overwrite it. A database has at least one page, and a
        // page has at least 512 bytes.
        guard status.size == 0 || status.size >= 512 else {
            throw StoreError(
                .damaged, what: "store.db has \(status.size) bytes, and is no database", place: path,
                remedy: StoreError.damageRemedy)
        }
        return isNew
    }

    /// Makes an empty file without opening it.
    private static func make(_ path: String) throws(StoreError) -> Bool {
        // SAFETY: the text outlives the call, which does not keep it.
        if unsafe mknod(path, S_IFREG | 0o600, 0) == 0 { return true }
        guard errno == EEXIST else {
            let error = SystemError("mknod", errno: errno, path: path)
            throw StoreError(
                error.errno == ENOSPC || error.errno == EDQUOT ? .full : .system, what: error.cause)
        }
        return false
    }

    private static func refusal(_ what: String, at path: String, remedy: String) -> StoreError {
        StoreError(.unsafe, what: "store.db \(what)", place: path, remedy: remedy)
    }

    /// Waits until the names of a new store are on the disk. These are the name of the file, and the names of three
    /// folders: of the group, of the team, and of all groups.
    static func synchronizeNames(of path: String) throws(StoreError) {
        var place = path[...]
        do throws(SystemError) {
            for _ in 0..<4 {
                guard let slash = place.lastIndex(of: "/"), slash > place.startIndex else { return }
                place = place[..<slash]
                try Descriptor.directory(String(place)).synchronize()
            }
        } catch {
            throw StoreError(error, at: path)
        }
    }
}
