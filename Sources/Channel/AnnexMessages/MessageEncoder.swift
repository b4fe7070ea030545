/// An encoder that writes tagged fields one after another into its own memory. If a limit is exceeded, `finish()`
/// throws the failure.
@safe public struct MessageEncoder: ~Copyable {
    // SAFETY: the storage is `capacity` bytes that only this value owns. The first `count` bytes are written.
    @usableFromInline var storage: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    @usableFromInline package var count = 0
    @usableFromInline let limits: MessageLimits
    @usableFromInline var fields = 0
    @usableFromInline var depth = 0
    @usableFromInline package var failure: EncodingFailure?

    public init(limits: MessageLimits = .standard) {
        self.init(limits: limits, capacity: 256)
    }

    /// - Parameter capacity: the number of bytes to allocate first; the memory grows when needed.
    package init(limits: MessageLimits, capacity: Int) {
        self.limits = limits
        self.capacity = max(capacity, 16)
        unsafe storage = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit {
        unsafe storage.deallocate()
    }

    /// Encodes one field.
    @inlinable public mutating func encode(_ value: borrowing some FieldValue, as tag: UInt16) {
        encodeAny(value, as: tag)
    }

    /// Encodes a field of any type. The name differs from `encode`, because a number's `encode` would otherwise call
    /// itself.
    @inlinable mutating func encodeAny(_ value: borrowing some FieldValue, as tag: UInt16) {
        fields &+= 1
        guard fields <= limits.fields else { return fail(.tooManyFields(limit: limits.fields)) }
        guard makeRoom(for: 6) else { return }
        // SAFETY: there is room for the field's six header bytes. The length is stored below.
        unsafe storage.storeBytes(of: tag.littleEndian, toByteOffset: count, as: UInt16.self)
        let lengthAt = count &+ 2
        count &+= 6
        value.write(to: &self)
        guard failure == nil else { return }
        // The length is not truncated, because `limits.bytes` is at most `UInt32.max`.
        let length = UInt32(truncatingIfNeeded: count &- lengthAt &- 4)
        // SAFETY: room for these four bytes was reserved above.
        unsafe storage.storeBytes(of: length.littleEndian, toByteOffset: lengthAt, as: UInt32.self)
    }

    /// Encodes one field that holds a number.
    @inlinable @inline(__always) public mutating func encode<Value: FieldValue & FixedWidthInteger & BitwiseCopyable>(
        _ value: Value, as tag: UInt16
    ) {
        let width = MemoryLayout<Value>.size
        guard fields < limits.fields, makeRoom(for: 6 &+ width) else { return encodeAny(value, as: tag) }
        fields &+= 1
        // SAFETY: there is room for the field's six header bytes and its number.
        unsafe storage.storeBytes(of: tag.littleEndian, toByteOffset: count, as: UInt16.self)
        unsafe storage.storeBytes(
            of: UInt32(truncatingIfNeeded: width).littleEndian, toByteOffset: count &+ 2, as: UInt32.self)
        unsafe storage.storeBytes(of: value.littleEndian, toByteOffset: count &+ 6, as: Value.self)
        count &+= 6 &+ width
    }

    /// Encodes a field. If the value is nil, nothing is encoded.
    @inlinable public mutating func encode(_ value: (some FieldValue)?, as tag: UInt16) {
        if let value { encode(value, as: tag) }
    }

    /// Encodes a list: one field for each element, in order, all with the same tag.
    @inlinable public mutating func encode(list values: some Sequence<some FieldValue>, as tag: UInt16) {
        for value in values where failure == nil { encode(value, as: tag) }
    }

    /// Returns the whole encoding.
    /// - Throws: the first limit that was exceeded.
    public consuming func finish() throws(EncodingFailure) -> [UInt8] {
        if let failure { throw failure }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: storage, count: count))
    }
}

extension MessageEncoder {
    /// Appends a number's bytes. Use this in the `write(to:)` of a `FieldValue`.
    @inlinable public mutating func append(_ number: some FixedWidthInteger & BitwiseCopyable) {
        let size = MemoryLayout.size(ofValue: number)
        guard makeRoom(for: size) else { return }
        // SAFETY: there is room for `size` bytes.
        unsafe storage.storeBytes(of: number.littleEndian, toByteOffset: count, as: type(of: number))
        count &+= size
    }

    /// Appends bytes. Use this in the `write(to:)` of a `FieldValue`.
    @inlinable public mutating func append(contentsOf more: some Collection<UInt8>) {
        let whole: Void? = more.withContiguousStorageIfAvailable { unsafe append(UnsafeRawBufferPointer($0)) }
        if whole == nil { for byte in more where failure == nil { append(byte) } }
    }

    /// Appends bytes from any memory.
    @inlinable public mutating func append(_ more: RawSpan) {
        unsafe more.withUnsafeBytes { unsafe append($0) }
    }

    @inlinable mutating func append(_ more: UnsafeRawBufferPointer) {
        guard let source = more.baseAddress, makeRoom(for: more.count) else { return }
        // SAFETY: there is room for the bytes, and no other value has this memory.
        unsafe (storage + count).copyMemory(from: source, byteCount: more.count)
        count &+= more.count
    }

    @inlinable mutating func nested(_ body: (inout MessageEncoder) -> Void) {
        guard depth < limits.depth else { return fail(.tooDeep(limit: limits.depth)) }
        depth &+= 1
        body(&self)
        depth &-= 1
    }

    @inlinable mutating func makeRoom(for more: Int) -> Bool {
        if more <= capacity &- count, failure == nil { return more <= limits.bytes &- count || isTooLong() }
        return grow(by: more)
    }

    @usableFromInline mutating func isTooLong() -> Bool {
        fail(.tooLong(limit: limits.bytes))
        return false
    }

    @usableFromInline mutating func grow(by more: Int) -> Bool {
        if more > limits.bytes - count { fail(.tooLong(limit: limits.bytes)) }
        guard failure == nil else { return false }
        let larger = max(capacity * 2, count + more)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        unsafe memory.copyMemory(from: storage, byteCount: count)
        unsafe storage.deallocate()
        unsafe storage = memory
        capacity = larger
        return true
    }

    @usableFromInline mutating func fail(_ reason: EncodingFailure) {
        failure = failure ?? reason
    }
}

extension MessageEncoder {
    /// Discards the encoded bytes and keeps the memory.
    @inlinable package mutating func reset() {
        count = 0
        fields = 0
        depth = 0
        failure = nil
    }

    /// A copy of the encoded bytes.
    /// - Throws: the first limit that was exceeded; `.tooLong` if there are more than `most` bytes.
    package func copied(atMost most: Int) throws(EncodingFailure) -> [UInt8] {
        if let failure { throw failure }
        guard count <= most else { throw .tooLong(limit: most) }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: storage, count: count))
    }

    /// Lends the bytes that were encoded so far.
    @inlinable @inline(__always) package func withWritten<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(written)
    }

    /// The bytes that were encoded so far.
    @usableFromInline var written: RawSpan {
        @inlinable @inline(__always) @_lifetime(borrow self) get {
            // SAFETY: `count` bytes are written, and this value keeps them for as long as it is borrowed.
            unsafe RawSpan(_unsafeStart: storage, byteCount: count)
        }
    }
}

/// Why a value cannot be encoded. Every decoder with the same limits would reject the encoding.
public enum EncodingFailure: Error, Sendable, Hashable {
    /// The encoding is longer than this many bytes.
    case tooLong(limit: Int)
    /// The message has more fields than this limit.
    case tooManyFields(limit: Int)
    /// The message is nested deeper than this limit.
    case tooDeep(limit: Int)
}

extension EncodingFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong(let limit): "the message would be longer than \(limit) bytes"
        case .tooManyFields(let limit): "the message would have more than \(limit) fields"
        case .tooDeep(let limit): "the message would nest deeper than \(limit) levels"
        }
    }
}
