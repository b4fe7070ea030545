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

    /// Opens the same file again for reading only. The new open file description shares neither offset nor flags with
    /// this one. A memfd needs no permission for it; a file is opened with the caller's rights.
    package func reopenedReadOnly() throws(SystemError) -> Descriptor {
        try Descriptor.open("/proc/self/fd/\(number)", O_RDONLY | O_NONBLOCK | O_NOCTTY)
    }

    /// Refuses an object that belongs to another user or that other users can write to. Its contents could come from
    /// anyone.
    /// - Parameter path: for the error.
    package func checkOwn(_ path: String) throws(SystemError) {
        let status = try status()
        guard status.user == geteuid() else {
            throw SystemError(
                "open", errno: EPERM, path: path, remedy: "it belongs to uid \(status.user): name a folder of your own")
        }
        guard status.mode & 0o022 == 0 else {
            throw SystemError("open", errno: EPERM, path: path, remedy: "others may write to it: chmod 700 it")
        }
    }
}

extension FileStatus.Kind {
    fileprivate init(mode: mode_t) {
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
