internal import AnnexLinux
internal import Glibc

/// What a file system has left for ordinary users.
struct FreeSpace: Hashable {
    var bytes: UInt64
    /// Of all; 0 where the file system does not say.
    var size: UInt64
    /// Files that can still be made.
    var files: UInt64
    /// Of all; 0 where the file system numbers none beforehand.
    var mostFiles: UInt64

    init(bytes: UInt64, size: UInt64, files: UInt64, mostFiles: UInt64) {
        self.bytes = bytes
        self.size = size
        self.files = files
        self.mostFiles = mostFiles
    }

    /// - Parameter place: anything that lies on it.
    init(at place: borrowing Descriptor) throws(SystemError) {
        var status = statvfs()
        _ = try SystemError.retrying("fstatvfs") {
            // SAFETY: the call fills the structure that it is given and keeps nothing.
            unsafe fstatvfs(place.number, &status)
        }
        let unit = UInt64(status.f_frsize)
        self.init(
            bytes: UInt64(status.f_bavail).multipliedClamped(by: unit),
            size: UInt64(status.f_blocks).multipliedClamped(by: unit), files: UInt64(status.f_favail),
            mostFiles: UInt64(status.f_files))
    }

    /// What a program must leave to everybody else: a twentieth of all, of bytes 1 GiB at most; and where there was less
    /// than that when it began, half of what there was.
    var floor: FreeSpace {
        FreeSpace(
            bytes: min(1 << 30, size / 20, bytes / 2), size: size, files: min(mostFiles / 20, files / 2),
            mostFiles: mostFiles)
    }

    /// What is missing, in words; nil where all of the floor is left.
    func lack(beneath floor: FreeSpace) -> String? {
        if bytes < floor.bytes { return "\(bytes) bytes free; \(floor.bytes) must stay free" }
        if files < floor.files { return "room for \(files) files; \(floor.files) must stay free" }
        return nil
    }
}
