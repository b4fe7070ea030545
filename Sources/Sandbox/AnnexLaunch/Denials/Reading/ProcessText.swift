internal import AnnexLinux
internal import Glibc

/// Reads files of `/proc/PID`: the kernel writes them, but a hostile process chose parts of their contents.
enum ProcessText {
    /// The first bytes of a file; nil if it cannot be read. A longer file is cut.
    static func read(_ path: String, atMost cap: Int = 1 << 14) -> [UInt8]? {
        guard let file = try? Descriptor.open(path, O_RDONLY | O_NOFOLLOW) else { return nil }
        var bytes: [UInt8] = []
        while bytes.count < cap {
            guard let part = try? file.readSome(atMost: min(cap - bytes.count, 1 << 16)) else { return nil }
            if part.isEmpty { break }
            bytes += part
        }
        return bytes
    }

    /// The target of a link in `/proc/PID`, as the kernel writes it; nil if the target has no path.
    static func link(_ path: String) -> [UInt8]? {
        var room = [CChar](repeating: 0, count: Int(PATH_MAX))
        // SAFETY: readlink writes at most the array's size and does not terminate.
        let count = unsafe readlink(path, &room, room.count)
        guard count > 0, count < room.count else { return nil }
        let bytes = room.prefix(count).map { UInt8(bitPattern: $0) }
        return bytes.first == UInt8(ascii: "/") ? bytes : nil
    }
}
