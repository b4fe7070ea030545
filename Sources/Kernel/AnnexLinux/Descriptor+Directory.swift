internal import CAnnexLinux
internal import Glibc

extension Descriptor {
    /// The entries of this directory, in no particular order.
    /// - Throws: `EFBIG` if there are more than `limit` entries.
    package func entries(atMost limit: Int) throws(SystemError) -> [DirectoryEntry] {
        var mode: UInt32 = 0
        var links: UInt64 = 0
        return try unsafe list(atMost: limit) { listing, error in
            // SAFETY: the listing is open. The name is valid until the next call, and is copied before that call.
            guard let name = unsafe annex_listing_next(listing, &mode, &links, &error) else { return nil }
            return DirectoryEntry(
                name: unsafe String(validatingCString: name), kind: FileStatus.Kind(mode: mode), mode: mode & 0o7777,
                links: links)
        }
    }

    /// The names in this directory with their kinds. A file system that is mounted at an entry is not asked, so it cannot
    /// make this function wait.
    /// - Throws: `EFBIG` if there are more names than `limit`.
    package func kinds(atMost limit: Int) throws(SystemError) -> [NamedKind] {
        var mode: UInt32 = 0
        return try unsafe list(atMost: limit) { listing, error in
            // SAFETY: as above.
            guard let name = unsafe annex_listing_next_kind(listing, &mode, &error) else { return nil }
            return NamedKind(name: unsafe String(validatingCString: name), kind: FileStatus.Kind(mode: mode))
        }
    }

    private func list<Entry>(
        atMost limit: Int, next: (_ listing: UnsafeMutableRawPointer, _ error: inout Int32) -> Entry?
    ) throws(SystemError) -> [Entry] {
        var error: Int32 = 0
        guard let listing = unsafe annex_listing_open(number, &error) else {
            throw SystemError("opendir", errno: error)
        }
        // SAFETY: the listing was opened above and is closed once.
        defer { unsafe annex_listing_close(listing) }
        var entries: [Entry] = []
        while let entry = unsafe next(listing, &error) {
            guard entries.count < limit else {
                throw SystemError("readdir", errno: EFBIG, remedy: "at most \(limit) names are read")
            }
            entries.append(entry)
        }
        guard error == 0 else { throw SystemError("readdir", errno: error) }
        return entries
    }

    /// Whether a path beneath this directory, with all links followed, leads to an object beneath the directory. Also
    /// true if the path leads to no object.
    package func leadsBeneath(_ path: String) throws(SystemError) -> Bool {
        let result = unsafe path.withCString { unsafe annex_leads_beneath(number, $0) }
        switch -result {
        case 0, ENOENT: return true
        case EXDEV, ELOOP: return false
        default: throw SystemError("openat2", errno: -result, path: path)
        }
    }
}

/// One name in a directory.
package struct DirectoryEntry: Sendable, Hashable {
    /// The name. Nil if its bytes are not UTF-8.
    package let name: String?
    /// The kind of the entry itself. Links are not followed.
    package let kind: FileStatus.Kind
    /// The permission bits, with the set-user-ID, set-group-ID and sticky bits.
    package let mode: UInt32
    /// The number of names (hard links) of the file.
    package let links: UInt64

    package var isDirectory: Bool { kind == .directory }
    package var isSymbolicLink: Bool { kind == .symbolicLink }
    package var isRegular: Bool { kind == .regular }
}

/// One name in a directory, and what kind of object it is.
package struct NamedKind: Sendable, Hashable {
    /// The name. Nil if its bytes are not UTF-8.
    package let name: String?
    /// The kind of the entry itself. Links are not followed.
    package let kind: FileStatus.Kind

    package var isDirectory: Bool { kind == .directory }
    package var isSymbolicLink: Bool { kind == .symbolicLink }
}

// Changes to the entries of a directory, and to open files. If a function takes a name, this is the name of an entry
// of the directory itself, and the function follows no link. `makeDirectories` takes a path instead, and follows its
// links. The functions are for a directory that only this process writes to. Only `directory(making:)` and
// `makeDirectories` also work if another process creates the same directory.

extension Descriptor {
    /// Creates a directory with exactly these permissions, independent of the umask.
    package func makeDirectory(_ name: String, mode: UInt32) throws(SystemError) {
        _ = try SystemError.retrying("mkdirat", path: name) { unsafe mkdirat(number, name, mode) }
        try openBeneath(name, O_RDONLY | O_DIRECTORY).setMode(mode)
    }

    /// Opens a directory in this directory, and creates it if it is missing.
    package func directory(making name: String) throws(SystemError) -> Descriptor {
        do throws(SystemError) {
            return try openBeneath(name, O_RDONLY | O_DIRECTORY)
        } catch {
            guard error.errno == ENOENT else { throw error }
        }
        do throws(SystemError) {
            try makeDirectory(name, mode: 0o700)
        } catch {
            // Another process, such as another broker, created the directory first.
            guard error.errno == EEXIST else { throw error }
        }
        return try openBeneath(name, O_RDONLY | O_DIRECTORY)
    }

    /// Makes a symbolic link. The target is not checked.
    package func makeLink(_ name: String, to target: String) throws(SystemError) {
        _ = try SystemError.retrying("symlinkat", path: name) { unsafe symlinkat(target, number, name) }
    }

    /// The target that a symbolic link contains. Bytes that are not UTF-8 are replaced.
    package func linkTarget(_ name: String) throws(SystemError) -> String {
        String(decoding: try linkTargetBytes(name), as: UTF8.self)
    }

    /// The exact bytes of the target that a symbolic link contains.
    package func linkTargetBytes(_ name: String) throws(SystemError) -> [UInt8] {
        let room = Int(PATH_MAX)
        var failure: SystemError?
        let bytes = unsafe [CChar](unsafeUninitializedCapacity: room) { buffer, count in
            do throws(SystemError) {
                // SAFETY: the call writes at most as many bytes as the size that it is given.
                guard let start = buffer.baseAddress else { return }
                count = try SystemError.retrying("readlinkat", path: name) {
                    unsafe readlinkat(number, name, start, room)
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes.map { UInt8(bitPattern: $0) }
    }

    /// Renames an entry. An existing entry of the new name is replaced atomically.
    package func rename(_ name: String, to other: String) throws(SystemError) {
        _ = try SystemError.retrying("renameat", path: name) { unsafe renameat(number, name, number, other) }
    }

    /// Moves an entry into another directory of the same file system. An existing entry of the new name is replaced
    /// atomically.
    package func move(
        _ name: String, into other: borrowing Descriptor, as newName: String
    ) throws(SystemError) {
        let target = other.number
        _ = try SystemError.retrying("renameat", path: name) { unsafe renameat(number, name, target, newName) }
    }

    /// Renames an entry. The new name must be free.
    /// - Throws: `EEXIST` if the new name exists, and `EINVAL` if the file system cannot check whether the new name is
    ///   free.
    package func rename(_ name: String, toNew other: String) throws(SystemError) {
        _ = try SystemError.check("renameat2", path: other, unsafe annex_rename_new(number, name, other))
    }

    /// Exchanges the names of two entries atomically.
    /// - Throws: `EINVAL` if the file system cannot exchange names.
    package func exchange(_ name: String, with other: String) throws(SystemError) {
        _ = try SystemError.check("renameat2", path: other, unsafe annex_rename_exchange(number, name, other))
    }

    /// Gives a file a second name, which must be free.
    package func link(_ name: String, as other: String) throws(SystemError) {
        try link(name, as: other, in: self)
    }

    /// Gives a file a second name in another directory of the same file system. The name must be free.
    package func link(
        _ name: String, as other: String, in directory: borrowing Descriptor
    ) throws(SystemError) {
        let target = directory.number
        _ = try SystemError.retrying("linkat", path: name) { unsafe linkat(number, name, target, other, 0) }
    }

    package func removeFile(_ name: String) throws(SystemError) {
        _ = try SystemError.retrying("unlinkat", path: name) { unsafe unlinkat(number, name, 0) }
    }

    /// Creates a directory and its missing parents.
    /// - Parameters:
    ///   - path: an absolute path. Links on the path are followed.
    ///   - mode: the permissions of new directories.
    package static func makeDirectories(_ path: String, mode: UInt32) throws(SystemError) {
        var place = ""
        for part in path.split(separator: "/") {
            place += "/" + part
            // SAFETY: the text outlives the call, which does not keep it.
            if unsafe mkdir(place, mode) == 0 || errno == EEXIST { continue }
            throw SystemError("mkdir", errno: errno, path: place)
        }
    }

    /// Gives this file the access control list of another file. If the other file has no list, the call removes the
    /// list of this file.
    package func copyAccessList(from other: borrowing Descriptor) throws(SystemError) {
        _ = try SystemError.check("fsetxattr", annex_copy_access_list(other.number, number))
    }

    /// Lets one other user look up names in this directory. Only this process's user has further rights in the
    /// directory.
    /// - Throws: `EOPNOTSUPP` if the file system has no access control lists.
    package func allowSearch(by user: UInt32) throws(SystemError) {
        _ = try SystemError.check("fsetxattr", annex_allow_search(number, user))
    }

    /// Gives the file to another user and group. Only root may do this.
    package func setOwner(_ user: UInt32, group: UInt32) throws(SystemError) {
        _ = try SystemError.retrying("fchown") { fchown(number, user, group) }
    }

    package func setMode(_ mode: UInt32) throws(SystemError) {
        _ = try SystemError.retrying("fchmod") { fchmod(number, mode) }
    }

    /// Returns when the file's written data is on the disk.
    package func synchronize() throws(SystemError) {
        _ = try SystemError.retrying("fsync") { fsync(number) }
    }

    /// Starts to write the file's contents to the disk. Nothing is promised until `synchronize`, but `synchronize` has
    /// less to do afterwards. A file system without this call ignores it.
    /// - Parameter waiting: whether to return only when the contents are written.
    package func writeOut(waiting: Bool) throws(SystemError) {
        let result = annex_write_out(number, waiting ? 1 : 0)
        guard ![0, -ENOSYS, -EINVAL, -ESPIPE, -EOPNOTSUPP].contains(result) else { return }
        throw SystemError("sync_file_range", errno: -result)
    }
}
