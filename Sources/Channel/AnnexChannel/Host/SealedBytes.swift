public import AnnexLinux
internal import Glibc

/// Sealed memory that a peer handed over. The memory has been checked and mapped for reading, and no process can change
/// it any more.
///
/// The memory is unmapped when the last reference to this object is dropped.
public final class SealedBytes: Sendable {
    private let mapping: Mapping
    /// The memory's descriptor, which can be handed on. The memory's contents and size are final.
    public let descriptor: Descriptor

    /// The number of bytes; at least 1.
    public var count: Int { mapping.size }

    init(_ descriptor: consuming Descriptor, size: Int) throws(SystemError) {
        mapping = try Mapping(descriptor, size: size, writable: false)
        self.descriptor = descriptor
    }

    /// Lends the bytes without copying them. The peer chose the bytes. Only the number of the bytes has been checked,
    /// and the bytes never change.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: the mapping has this size and lives as long as this object. Its bytes never change.
        let buffer = unsafe UnsafeRawBufferPointer(start: mapping.start, count: mapping.size)
        return try body(unsafe buffer.bytes)
    }

    /// Writes all bytes to a file, starting at the file's current offset.
    public func write(to file: borrowing Descriptor) throws(SystemError) {
        // SAFETY: as in `withBytes`.
        try unsafe file.writeAll(UnsafeRawBufferPointer(start: mapping.start, count: mapping.size))
    }
}

extension SealedBytes {
    /// Takes the first of a peer's descriptors, checks that an answer may hand it over, and maps its memory. If the
    /// descriptor fails the check, it stays in the list, so that the caller can close it.
    /// - Parameter limit: the most bytes that the memory may have.
    /// - Returns: nil if the list is empty.
    /// - Throws: `CallFailure.violated` if the descriptor is not acceptable; `.system` if a system call of this process
    ///   fails.
    static func popChecked(
        from list: inout DescriptorList, atMost limit: UInt64
    ) throws(CallFailure) -> SealedBytes? {
        guard let descriptor = list.takeFirst() else { return nil }
        let size: Int
        do throws(CallFailure) {
            size = try SealedBytes.checkedSize(descriptor, atMost: limit)
        } catch {
            list.append(descriptor)
            throw error
        }
        do throws(SystemError) {
            return try SealedBytes(descriptor, size: size)
        } catch {
            throw .system(error)
        }
    }

    /// Checks seals and size. The seals are read first, because reading them never calls into a file system. The peer
    /// could provide a file system that never answers. If all seals are set, the size and the allocated blocks cannot
    /// change any more, so they can be checked after that.
    private static func checkedSize(
        _ descriptor: borrowing Descriptor, atMost limit: UInt64
    ) throws(CallFailure) -> Int {
        guard let seals = try? descriptor.seals() else { throw .violated(.notSealed("it cannot be sealed")) }
        guard seals.isSuperset(of: .immutable) else {
            throw .violated(.notSealed("it has only seals \(seals.rawValue)"))
        }
        // Accessing memory of huge pages can fail if a page is missing.
        guard descriptor.isPlainSharedMemory else { throw .violated(.notSealed("it consists of huge pages")) }
        guard let status = try? descriptor.status() else { throw .violated(.notSealed("its status cannot be read")) }
        guard status.kind == .regular else { throw .violated(.notSealed("its kind is \(status.kind)")) }
        let size = HostileSize(status, firstHole: descriptor.firstHole)
        guard let bytes = size.bytes(atMost: limit) else {
            throw .violated(.sealedSize(size.forReport, accepted: limit))
        }
        guard size.isFilled else { throw .violated(.sealedHoles(size.forReport)) }
        return bytes
    }
}
