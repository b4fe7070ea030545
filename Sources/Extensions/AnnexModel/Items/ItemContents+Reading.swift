internal import AnnexLinux
internal import Glibc

extension ItemContents {
    /// Copies all bytes. Later changes of the file do not affect the copy.
    ///
    /// - Parameter limit: the most bytes to load. If the contents are longer, the call throws an error and does not
    ///   cut them.
    /// - Throws: `changedWhileRead` if the file's size or modification time changed during the read.
    public func load(limit: Int = standardLimit) throws(ItemFailure) -> [UInt8] {
        try Self.bytes(of: open(), limit: limit)
    }

    /// Copies all bytes of an open file.
    static func bytes(of opened: OpenedContents, limit: Int) throws(ItemFailure) -> [UInt8] {
        let before = try status(of: opened.descriptor)
        let expected = Int(clamping: before.size)
        guard expected <= min(limit, Int.max - 1) else { throw .tooLong(limit: limit) }
        let bytes = try ItemFailure.wrapping { () throws(SystemError) in
            // The read asks for one byte more than expected. If that byte arrives, the file has grown since its size
            // was read.
            try opened.descriptor.read(at: 0, count: expected + 1)
        }
        guard bytes.count == expected else { throw .changedWhileRead }
        try checkUnchanged(opened, since: before)
        return bytes
    }

    /// Copies a part of the bytes.
    ///
    /// The file may change between two calls of this function. `chunks` notices such changes.
    /// - Parameters:
    ///   - offset: the place of the first byte.
    ///   - count: how many bytes to read.
    /// - Returns: the bytes. If the contents end within this part, there are fewer than `count` bytes. If the part
    ///   begins after the end, or if a parameter is negative, there are none.
    public func read(at offset: Int, count: Int) throws(ItemFailure) -> [UInt8] {
        let opened = try open()
        let left = max(0, Int(clamping: try Self.status(of: opened.descriptor).size) - max(offset, 0))
        guard offset >= 0, count > 0, left > 0 else { return [] }
        return try ItemFailure.wrapping { () throws(SystemError) in
            try opened.descriptor.read(at: Int64(offset), count: min(count, left))
        }
    }

    /// Lends the bytes piece by piece, in order and in one buffer. So contents of any size need little memory.
    ///
    /// - Parameters:
    ///   - size: the number of bytes of each piece but the last, from 1 to 16 MiB.
    ///   - body: gets each piece. If the closure returns false, no further piece is read.
    /// - Throws: `changedWhileRead` if the file changed before its end was reached, and the errors of `body`.
    public func forEachChunk(of size: Int = 1 << 18, _ body: (RawSpan) throws -> Bool) throws {
        let opened = try open()
        let before = try Self.status(of: opened.descriptor)
        let most = min(max(size, 1), 16 << 20)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: most, alignment: 4096)
        defer { unsafe room.deallocate() }
        var offset: Int64 = 0
        while true {
            let count = try ItemFailure.wrapping { () throws(SystemError) in
                try unsafe opened.descriptor.fill(room, from: offset)
            }
            // Before each piece is used, the file's status is compared with the status at the start. So all pieces
            // come from the same version of the file.
            try Self.checkUnchanged(opened, since: before)
            offset += Int64(count)
            if count < most, offset != before.size { throw ItemFailure.changedWhileRead }
            // SAFETY: `fill` has written this many bytes. The bytes are lent only for the call of `body`.
            if count > 0, try unsafe !body(UnsafeRawBufferPointer(rebasing: room[..<count]).bytes) { return }
            if count < most { return }
        }
    }

    /// The bytes in pieces, each in its own memory. The result is a sequence for `for try await`. Its errors are of
    /// the type `ItemFailure`.
    ///
    /// - Parameter size: the number of bytes of each piece but the last, from 1 to 16 MiB.
    public func chunks(of size: Int = 1 << 18) -> ItemChunks { ItemChunks(contents: self, size: size) }

    /// Writes all bytes to a new file. If the call fails after it has made the file, it removes the file.
    ///
    /// - Parameter path: the path of the new file. No file may exist there yet. The file gets the mode 0600.
    public func write(to path: String) throws(ItemFailure) {
        let target = try ItemFailure.wrapping { () throws(SystemError) in
            try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        }
        do {
            try forEachChunk(of: 1 << 20) { bytes in
                try unsafe bytes.withUnsafeBytes { try unsafe target.writeAll($0) }
                return true
            }
        } catch {
            // SAFETY: the path is lent for the call.
            _ = unsafe unlink(path)
            throw error as? ItemFailure ?? (error as? SystemError).map { .system($0) } ?? .failed("\(error)")
        }
    }

    /// Compares the file's status with an earlier status of the same file. A change within one tick of the file
    /// system's clock is not noticed.
    static func checkUnchanged(_ opened: OpenedContents, since before: FileStatus) throws(ItemFailure) {
        let now = try status(of: opened.descriptor)
        guard now.size == before.size, now.modified == before.modified else { throw .changedWhileRead }
    }
}

extension ItemContents {
    /// Lends the descriptor of the open file to `body`. The file is open for reading. The descriptor is valid only
    /// while `body` runs.
    public func withFileDescriptor<Result>(_ body: (CInt) throws -> Result) throws -> Result {
        let opened = try open()
        return try body(opened.descriptor.number)
    }
}

/// The bytes of contents in pieces. The first `next` opens contents on demand, and suspends the task until they are
/// open. Each read of a piece blocks the thread of the task that reads.
public struct ItemChunks: AsyncSequence, Sendable {
    let contents: ItemContents
    let size: Int

    public func makeAsyncIterator() -> Iterator { Iterator(contents: contents, size: size) }

    /// Reads the pieces in order. Code that cannot await calls `nextChunk`.
    public struct Iterator: AsyncIteratorProtocol {
        private let contents: ItemContents
        private let size: Int
        private var offset = 0
        private var before: FileStatus?
        private var isOver = false

        init(contents: ItemContents, size: Int) {
            self.contents = contents
            self.size = Swift.min(Swift.max(size, 1), 16 << 20)
        }

        /// Does the same as `next()`, on the actor of the caller.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ItemFailure) -> [UInt8]? {
            if before == nil { _ = try await contents.open(suspending: LoadWaiting()) }
            return try nextChunk()
        }

        public mutating func next() async throws(ItemFailure) -> [UInt8]? { try await next(isolation: nil) }

        /// The next piece; nil at the end. To open contents on demand, this call blocks the thread.
        /// - Throws: `changedWhileRead` if the file changed since the first piece.
        public mutating func nextChunk() throws(ItemFailure) -> [UInt8]? {
            guard !isOver else { return nil }
            let opened = try contents.open()
            let known: FileStatus
            if let before { known = before } else { known = try ItemContents.status(of: opened.descriptor) }
            before = known
            let place = Int64(offset)
            let most = size
            let bytes = try ItemFailure.wrapping { () throws(SystemError) in
                try opened.descriptor.read(at: place, count: most)
            }
            try ItemContents.checkUnchanged(opened, since: known)
            offset += bytes.count
            isOver = bytes.count < most
            if isOver, Int64(offset) != known.size { throw .changedWhileRead }
            return bytes.isEmpty ? nil : bytes
        }
    }
}
