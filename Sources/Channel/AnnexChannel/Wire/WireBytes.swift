/// Encodes and decodes fixed-width numbers as bytes, least significant byte first.
package enum WireBytes {
    package static func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        unsafe withUnsafeBytes(of: value.littleEndian) { unsafe [UInt8]($0) }
    }

    /// The number at `offset`; nil if the bytes end before the end of the number.
    package static func number<Value: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int, as: Value.Type = Value.self)
        -> Value?
    {
        let size = MemoryLayout<Value>.size
        let part = bytes.dropFirst(offset).prefix(size)
        guard part.count == size else { return nil }
        return part.reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }
}

// The rest of this file decodes the other side's messages, with all checks.

extension Hello {
    /// Decodes an extension's hello.
    init(_ frame: Frame) throws(ChannelViolation) {
        guard frame.payload.count == Hello.size, frame.method == 0,
            WireBytes.number(frame.payload, at: 0) == WireFormat.magic,
            let version = WireBytes.number(frame.payload, at: 4, as: UInt32.self),
            let features = WireBytes.number(frame.payload, at: 8, as: UInt64.self)
        else { throw .malformedHello(length: frame.payload.count) }
        guard version == WireFormat.version else { throw .wireVersion(version) }
        self.init(said: features)
    }
}

extension DescriptorTag {
    /// Decodes a tag; nil if the bytes are not a tag.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == DescriptorTag.size, WireBytes.number(bytes, at: 0) == DescriptorTag.mark,
            let count = WireBytes.number(bytes, at: 4, as: UInt32.self),
            let call = WireBytes.number(bytes, at: 8, as: UInt64.self)
        else { return nil }
        self.init(call: call, count: count)
    }
}

extension LargeHeader {
    /// Decodes the head of a message in pieces.
    /// - Parameter limit: the most bytes that this side accepts.
    /// - Returns: the header, and a request's terms.
    static func read(
        _ payload: [UInt8], atMost limit: UInt32
    ) throws(ChannelViolation) -> (header: LargeHeader, terms: RequestTerms) {
        guard let said = WireBytes.number(payload, at: 0, as: UInt32.self),
            let number = WireBytes.number(payload, at: 4, as: UInt32.self)
        else { throw .malformed(kind: FrameKind.large.rawValue, length: payload.count) }
        guard let kind = FrameKind(rawValue: UInt8(truncatingIfNeeded: number)), kind.mayBeLarge else {
            throw .unexpectedKind(UInt8(truncatingIfNeeded: number))
        }
        let size = kind == .request ? 32 : LargeHeader.size
        guard payload.count == size, said > 0 else {
            throw .malformed(kind: FrameKind.large.rawValue, length: payload.count)
        }
        guard let length = Hostile(said).atMost(limit) else {
            throw .length(Hostile(said).forReport, room: limit)
        }
        return (LargeHeader(kind: kind, length: length), RequestTerms(payload))
    }
}

extension FrameKind {
    /// Whether a message of this kind may come in pieces.
    var mayBeLarge: Bool {
        self == .request || self == .reply || self == .event
    }
}

extension RequestTerms {
    /// Decodes the terms after a large request's header. If the payload has no terms, the default terms are used.
    fileprivate init(_ payload: [UInt8]) {
        guard let limit = WireBytes.number(payload, at: 8, as: UInt64.self),
            let mostBytes = WireBytes.number(payload, at: 16, as: UInt64.self),
            let mostPieces = WireBytes.number(payload, at: 24, as: UInt64.self)
        else {
            self = RequestTerms()
            return
        }
        self = RequestTerms(limit: limit, mostBytes: mostBytes, mostPieces: mostPieces)
    }
}

extension CallFailure {
    /// Decodes a failure that the extension sent instead of an answer.
    init(_ frame: Frame) throws(ChannelViolation) {
        guard let code = WireBytes.number(frame.payload, at: 0, as: UInt32.self) else {
            throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
        }
        self = .failed(code: code, text: String(decoding: frame.payload.dropFirst(4), as: UTF8.self))
    }
}
