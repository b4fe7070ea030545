public import AnnexLinux
internal import Glibc

/// Memory that nobody can change any more, received from a peer and checked, mapped for reading.
///
/// Unmapped when the last reference ends.
public final class SealedBytes: Sendable {
    private let mapping: Mapping
    /// The memory itself, for handing on. Everything about it is final.
    public let descriptor: Descriptor

    /// Bytes; at least 1.
    public var count: Int { mapping.size }

    init(_ descriptor: consuming Descriptor, size: Int) throws(SystemError) {
        mapping = try Mapping(descriptor, size: size, writable: false)
        self.descriptor = descriptor
    }

    /// Lends the bytes where they lie. They are the peer's choice: nothing is known about them but their number, and
    /// that they stay what they are.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: the mapping lives as long as this object, is as long as it says, and no byte of it ever changes.
        let buffer = unsafe UnsafeRawBufferPointer(start: mapping.start, count: mapping.size)
        return try body(unsafe buffer.bytes)
    }

    /// Writes all of it to a file, from the file's current offset on.
    public func write(to file: borrowing Descriptor) throws(SystemError) {
        // SAFETY: as in `withBytes`.
        try unsafe file.writeAll(UnsafeRawBufferPointer(start: mapping.start, count: mapping.size))
    }
}

extension SealedBytes {
    /// Takes the first of what a peer sent, if it is what an answer may bring, and maps it. What it is not stays in the
    /// list, for whoever closes it.
    /// - Parameter limit: the most bytes.
    /// - Returns: nil where nothing is left.
    /// - Throws: `CallFailure.violated` where it is anything else; `.system` where this side's own means fail.
    static func takeChecked(
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

    /// Asks for the seals first: that question never reaches a file system, which could be one of the peer's own that
    /// never answers. With all seals, size and blocks stand still.
    private static func checkedSize(
        _ descriptor: borrowing Descriptor, atMost limit: UInt64
    ) throws(CallFailure) -> Int {
        guard let seals = try? descriptor.seals() else { throw .violated(.notSealed("no memory that can be sealed")) }
        guard seals.isSuperset(of: .immutable) else { throw .violated(.notSealed("seals \(seals.rawValue)")) }
        // Pages of huge-page memory can be missing when they are touched.
        guard descriptor.isPlainSharedMemory else { throw .violated(.notSealed("memory of huge pages")) }
        guard let status = try? descriptor.status() else { throw .violated(.notSealed("no status")) }
        guard status.kind == .regular else { throw .violated(.notSealed("\(status.kind)")) }
        let size = HostileSize(status, firstHole: descriptor.firstHole)
        guard let bytes = size.bytes(atMost: limit) else {
            throw .violated(.sealedSize(size.forReport, accepted: limit))
        }
        guard size.isFilled else { throw .violated(.sealedHoles(size.forReport)) }
        return bytes
    }
}
