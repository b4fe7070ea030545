package import AnnexLinux

/// Reads an archive from an untrusted sender. It accepts any bytes without trapping. At most one entry's path is in
/// memory at a time.
package struct BundleArchiveReader: ~Copyable {
    private let memory: Descriptor
    private let size: Int64
    private var position: Int64 = 0
    private var entries = 0

    /// Accepts a client's descriptor if it is sealed memory, which no process can change any more. The seals are
    /// checked first, because the kernel reads the seals without calling the descriptor's file system. A hostile file
    /// system might never answer other calls.
    package init(checking memory: consuming Descriptor) throws(BundleArchiveFailure) {
        guard let seals = try? memory.seals(), seals.isSuperset(of: .immutable), memory.isPlainSharedMemory,
            let status = try? memory.status(), status.kind == .regular
        else { throw .malformed("is not sealed memory") }
        guard status.size <= BundleArchive.mostBytes else {
            throw .malformed("is larger than \(BundleArchive.mostBytes) bytes")
        }
        size = status.size
        self.memory = memory
    }

    /// The next entry; nil at the end of the archive.
    package mutating func next() throws(BundleArchiveFailure) -> BundleArchive.Entry? {
        guard position < size else { return nil }
        entries &+= 1
        guard entries <= BundleArchive.mostEntries else {
            throw .malformed("holds more than \(BundleArchive.mostEntries) entries")
        }
        let header = try readNext(BundleArchive.headerSize)
        guard let kind = header.first.flatMap(BundleArchive.Kind.init(rawValue:)),
            let permissions = header.dropFirst().first,
            let length = Int(exactly: Self.number(header.dropFirst(2).prefix(2))),
            let count = Int64(exactly: Self.number(header.dropFirst(4).prefix(8))), count <= size &- position
        else { throw .malformed("has a malformed entry") }
        let path = try path(length, isFirst: entries == 1)
        guard count <= size &- position, kind != .directory || count == 0,
            kind != .link || count <= Int64(clamping: BundleArchive.longestPath)
        else { throw .malformed("ends inside an entry") }
        let offset = position
        position &+= count
        return BundleArchive.Entry(
            kind: kind, permissions: BundleArchive.Permissions(rawValue: permissions), path: path, offset: offset,
            size: count)
    }

    /// Reads the whole archive and rewinds it. So a bad archive is rejected before any file is written to disk.
    /// - Returns: the space that the app's files and directories need, in bytes. For each file and directory, one
    ///   additional block is counted.
    package mutating func measure() throws(BundleArchiveFailure) -> Int64 {
        var bytes: Int64 = 0
        while let entry = try next() { bytes = bytes &+ entry.size &+ 4096 }
        (position, entries) = (0, 0)
        return bytes
    }

    /// A part of an entry's contents. It is empty at the end of the contents.
    package func contents(
        of entry: BundleArchive.Entry, from start: Int64, atMost most: Int
    ) throws(BundleArchiveFailure) -> [UInt8] {
        guard start >= 0, start < entry.size else { return [] }
        return try read(
            at: entry.offset &+ start, count: Int(clamping: min(entry.size &- start, Int64(clamping: most))))
    }

    private mutating func readNext(_ count: Int) throws(BundleArchiveFailure) -> [UInt8] {
        let bytes = try read(at: position, count: count)
        guard bytes.count == count else { throw .malformed("ends inside an entry") }
        position &+= Int64(clamping: count)
        return bytes
    }

    private func read(at offset: Int64, count: Int) throws(BundleArchiveFailure) -> [UInt8] {
        do throws(SystemError) {
            return try memory.read(at: offset, count: count)
        } catch {
            throw .system(error)
        }
    }

    /// The first entry is the app's own directory, with an empty path. No other path may be empty.
    private mutating func path(_ length: Int, isFirst: Bool) throws(BundleArchiveFailure) -> String {
        guard length <= BundleArchive.longestPath, (length == 0) == isFirst else {
            throw .malformed("has a path of \(length) bytes")
        }
        if isFirst { return "" }
        guard let path = String(validating: try readNext(length), as: UTF8.self), Self.isPlain(path) else {
            throw .malformed("has a path that leads out of the app")
        }
        return path
    }

    private static func isPlain(_ path: String) -> Bool {
        let names = path.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
        return names.count <= BundleArchive.mostNames
            && names.allSatisfy { name in
                !name.isEmpty && name.count <= 255 && !name.contains(0) && !name.elementsEqual(".".utf8)
                    && !name.elementsEqual("..".utf8)
            }
    }

    private static func number(_ bytes: some BidirectionalCollection<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64(truncatingIfNeeded: $1) }
    }
}
