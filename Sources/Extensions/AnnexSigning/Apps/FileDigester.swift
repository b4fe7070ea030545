internal import AnnexBundle
internal import AnnexLinux
internal import Glibc

/// Reads whole files in large pieces, with one buffer for all files.
@safe struct FileDigester: ~Copyable {
    struct Result {
        let digest: Digest
        /// The number of bytes that were read.
        let size: UInt64
        /// The file's status, which was the same before and after the reading.
        let status: FileStatus
    }

    private let room: UnsafeMutableRawBufferPointer

    /// The size of a piece: half of a usual second-level cache. So the bytes that were read are still in that cache
    /// when their digest is computed.
    private static let piece = 512 << 10

    init() {
        unsafe room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.piece, alignment: 4096)
    }

    deinit {
        // SAFETY: allocated in the initialiser and freed once.
        unsafe room.deallocate()
    }

    /// Reads an open file.
    /// - Throws: `EFBIG` if the file has more bytes than `limit`, `EBUSY` if it changes while it is read, `EINVAL` if
    ///   it is not a regular file.
    func digest(_ file: borrowing Descriptor, atMost limit: UInt64) throws(SystemError) -> Result {
        let before = try file.status()
        guard before.kind == .regular else { throw SystemError("open", errno: EINVAL) }
        guard UInt64(clamping: before.size) <= limit else { throw SystemError("read", errno: EFBIG) }
        let state = DigestState(.file)
        var size: Int64 = 0
        let piece = unsafe room.count
        while true {
            // SAFETY: the read stays within the buffer. The digest gets only the bytes that were read.
            let count = try unsafe file.fill(room, from: size)
            unsafe state.add(UnsafeRawBufferPointer(rebasing: room[..<count]))
            size += Int64(count)
            if count < piece { break }
            // The size is checked after each piece. So the reader does not read on for ever if the file grows for ever.
            guard size <= before.size else { throw SystemError("read", errno: EBUSY) }
        }
        guard size == before.size, try file.status().isUnchanged(since: before) else {
            throw SystemError("read", errno: EBUSY)
        }
        return Result(digest: state.finish(), size: UInt64(clamping: size), status: before)
    }
}
