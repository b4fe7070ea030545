public import AnnexLinux

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
