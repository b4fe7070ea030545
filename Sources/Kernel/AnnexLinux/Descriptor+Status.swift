internal import CAnnexLinux
internal import Glibc

extension Descriptor {
    /// The status of the open object. Check it before you trust a descriptor that another process sent.
    package func status() throws(SystemError) -> FileStatus {
        var found = stat()
        // SAFETY: fstat writes one `stat` and keeps no pointer to it.
        guard unsafe fstat(number, &found) == 0 else { throw SystemError("fstat", errno: Glibc.errno) }
        return FileStatus(
            kind: FileStatus.Kind(mode: found.st_mode), size: Int64(found.st_size), blocks: Int64(found.st_blocks),
            device: UInt64(found.st_dev), inode: UInt64(found.st_ino), mode: found.st_mode & 0o7777,
            user: found.st_uid, group: found.st_gid, links: UInt64(found.st_nlink),
            modified: Int64(found.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(found.st_mtim.tv_nsec),
            changed: Int64(found.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(found.st_ctim.tv_nsec))
    }

    /// How many bytes an ordinary user can still write to this file's file system.
    package func availableBytes() throws(SystemError) -> Int64 {
        var found = statvfs()
        // SAFETY: fstatvfs writes one `statvfs` and keeps no pointer to it.
        guard unsafe fstatvfs(number, &found) == 0 else { throw SystemError("fstatvfs", errno: Glibc.errno) }
        let (bytes, isTooMuch) = UInt64(found.f_bavail).multipliedReportingOverflow(by: UInt64(found.f_frsize))
        return isTooMuch ? .max : Int64(clamping: bytes)
    }

    /// Whether nothing can be written through this descriptor.
    package func isReadOnly() throws(SystemError) -> Bool {
        try SystemError.check("fcntl(F_GETFL)", annex_status_flags(number)) & O_ACCMODE == O_RDONLY
    }

    /// The object's current path, without symbolic links. A removed object's path ends in " (deleted)".
    /// - Throws: `EINVAL` if the object has no path, or if its path is not valid UTF-8.
    package func path() throws(SystemError) -> String {
        let link = "/proc/self/fd/\(number)"
        var room = [CChar](repeating: 0, count: Int(PATH_MAX))
        // SAFETY: readlink writes at most the array's size, and no NUL at the end.
        let count = unsafe readlink(link, &room, room.count)
        guard count >= 0 else { throw SystemError("readlink", errno: errno, path: link) }
        let bytes = room.prefix(count).map { UInt8(bitPattern: $0) }
        guard let path = String(validating: bytes, as: UTF8.self), path.hasPrefix("/") else {
            throw SystemError("readlink", errno: EINVAL, path: link)
        }
        return path
    }

    /// Opens the same file again for reading only. The new open file description shares neither offset nor flags with
    /// the description of this descriptor. The caller needs no permission to reopen a memfd. To reopen any other file,
    /// the caller needs the right to read the file.
    package func reopenedReadOnly() throws(SystemError) -> Descriptor {
        try Descriptor.open("/proc/self/fd/\(number)", O_RDONLY | O_NONBLOCK | O_NOCTTY)
    }

    /// Throws if the object belongs to another user, or if other users can write to it. The contents of the object
    /// could then come from another user.
    /// - Parameter path: the path that the error shows.
    package func checkOwn(_ path: String) throws(SystemError) {
        let status = try status()
        guard status.user == geteuid() else {
            throw SystemError(
                "open", errno: EPERM, path: path, remedy: "it belongs to uid \(status.user): use a folder of your own")
        }
        guard status.mode & 0o022 == 0 else {
            let mode = status.kind == .directory ? "700" : "600"
            throw SystemError(
                "open", errno: EPERM, path: path,
                remedy: "other users can write to it: set its mode to \(mode) with chmod")
        }
    }
}

extension FileStatus.Kind {
    init(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: self = .regular
        case S_IFDIR: self = .directory
        case S_IFLNK: self = .symbolicLink
        case S_IFSOCK: self = .socket
        case S_IFIFO: self = .pipe
        case S_IFCHR: self = .characterDevice
        case S_IFBLK: self = .blockDevice
        default: self = .anonymous
        }
    }
}

/// The status of an open descriptor, from fstat(2).
package struct FileStatus: Sendable, Hashable {
    /// The kind of object that the descriptor refers to.
    package enum Kind: Sendable, Hashable {
        case regular, directory, symbolicLink, socket, pipe, characterDevice, blockDevice
        /// An object without a file type, such as an epoll queue or a pidfd.
        case anonymous
    }

    package let kind: Kind
    /// The size in bytes.
    package let size: Int64
    /// The number of allocated units of 512 bytes. A file with holes has fewer units than its size suggests.
    package let blocks: Int64
    package let device: UInt64
    package let inode: UInt64
    /// The permission bits, with the set-user-ID, set-group-ID and sticky bits.
    package let mode: UInt32
    package let user: UInt32
    package let group: UInt32
    package let links: UInt64
    /// `mtime`: when the contents last changed, in nanoseconds after 1970.
    package let modified: Int64
    /// `ctime`: when contents, mode, owner or links last changed, in nanoseconds after 1970. No program can set it
    /// back.
    package let changed: Int64
}

/// The columns and rows of a terminal.
package struct TerminalSize: Sendable, Hashable {
    package let columns: Int
    package let rows: Int

    /// Nil if the descriptor is not a terminal, or the terminal does not report a size.
    package init?(of descriptor: Int32) {
        var columns: Int32 = 0
        var rows: Int32 = 0
        // SAFETY: the call writes one number through each pointer and keeps neither pointer.
        guard unsafe annex_terminal_size(descriptor, &columns, &rows) == 0, columns > 0, rows > 0 else { return nil }
        self.columns = Int(columns)
        self.rows = Int(rows)
    }
}

extension Descriptor {
    /// The kind of lock: shared with other holders, or exclusive.
    package enum Lock: Sendable {
        case shared, exclusive
    }

    /// Locks the file (flock) until the last duplicate of this descriptor is closed. The call does not wait.
    /// - Returns: false if another open file description holds a lock that conflicts with this lock.
    package func lock(_ kind: Lock) throws(SystemError) -> Bool {
        let wanted = kind == .shared ? ANNEX_LOCK_SHARED : ANNEX_LOCK_EXCLUSIVE
        let result = annex_lock_whole(number, Int32(wanted))
        guard result < 0 else { return true }
        guard result == -EAGAIN else { throw SystemError("flock", errno: -result) }
        return false
    }
}
