/// Writes tagged fields one after another. What breaks a limit is remembered and told by `finish()`.
public struct MessageEncoder: Sendable {
    private let limits: MessageLimits
    private var bytes: [UInt8] = []
    private var fields = 0
    private var depth = 0
    private var failure: EncodingFailure?

    public init(limits: MessageLimits = .standard) {
        self.limits = limits
    }

    /// Writes one field.
    public mutating func encode(_ value: some FieldValue, as tag: UInt16) {
        fields += 1
        guard fields <= limits.fields else { return fail(.tooManyFields(limit: limits.fields)) }
        append(tag)
        let lengthAt = bytes.count
        append(UInt32(0))
        value.write(to: &self)
        if failure == nil { writeLength(at: lengthAt) }
    }

    /// Writes a field, or nothing for nil.
    public mutating func encode(_ value: (some FieldValue)?, as tag: UInt16) {
        if let value { encode(value, as: tag) }
    }

    /// Writes a list: one field per element, in order, all with the same tag.
    public mutating func encode(list values: some Sequence<some FieldValue>, as tag: UInt16) {
        for value in values where failure == nil { encode(value, as: tag) }
    }

    /// The whole wire form.
    public consuming func finish() throws(EncodingFailure) -> [UInt8] {
        if let failure { throw failure }
        return bytes
    }
}

extension MessageEncoder {
    /// Appends a number's bytes, for a `FieldValue` that writes itself.
    public mutating func append(_ number: some FixedWidthInteger) {
        let size = number.bitWidth / 8
        guard hasRoom(for: size) else { return }
        for place in 0..<size { bytes.append(UInt8(truncatingIfNeeded: number >> (place * 8))) }
    }

    /// Appends bytes, for a `FieldValue` that writes itself.
    public mutating func append(contentsOf more: some Collection<UInt8>) {
        if hasRoom(for: more.count) { bytes.append(contentsOf: more) }
    }

    mutating func nested(_ body: (inout MessageEncoder) -> Void) {
        guard depth < limits.depth else { return fail(.tooDeep(limit: limits.depth)) }
        depth += 1
        body(&self)
        depth -= 1
    }

    private mutating func hasRoom(for count: Int) -> Bool {
        if count > limits.bytes - bytes.count { fail(.tooLong(limit: limits.bytes)) }
        return failure == nil
    }

    private mutating func writeLength(at index: Int) {
        let start = index + 4
        // Cannot be cut off: limits.bytes is at most UInt32.max.
        let length = UInt32(truncatingIfNeeded: bytes.count - start)
        for place in 0..<4 {
            bytes[index + place] = UInt8(truncatingIfNeeded: length >> (UInt32(place) * 8))
        }
    }

    private mutating func fail(_ reason: EncodingFailure) {
        failure = failure ?? reason
    }
}
