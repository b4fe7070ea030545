public import AnnexChannel

/// The driver's 64 bytes as a typed message of eight numbers. Each number is a separate field.
public struct Words: ChannelRequest {
    public static let method: UInt16 = 10
    public typealias Response = Words

    /// The most words of a message.
    public static let most = 8

    /// The number of words in use. The driver's own questions have fewer than eight words.
    public var count: UInt32 = 0
    @usableFromInline var first: UInt64 = 0
    @usableFromInline var second: UInt64 = 0
    @usableFromInline var third: UInt64 = 0
    @usableFromInline var fourth: UInt64 = 0
    @usableFromInline var fifth: UInt64 = 0
    @usableFromInline var sixth: UInt64 = 0
    @usableFromInline var seventh: UInt64 = 0
    @usableFromInline var eighth: UInt64 = 0

    /// - Parameter bytes: at most 64, in words of 8.
    @inlinable public init(_ bytes: UnsafeRawBufferPointer) {
        let word = { (index: Int) -> UInt64 in
            index * 8 + 8 <= bytes.count ? bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) : 0
        }
        count = UInt32(bytes.count / 8)
        (first, second, third, fourth) = (word(0), word(1), word(2), word(3))
        (fifth, sixth, seventh, eighth) = (word(4), word(5), word(6), word(7))
    }

    /// Lends the words as the driver wrote them.
    @inlinable public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let words = (first, second, third, fourth, fifth, sixth, seventh, eighth)
        return withUnsafeBytes(of: words) { body(UnsafeRawBufferPointer(rebasing: $0.prefix(Int(count) * 8))) }
    }
}

extension Words {
    public func encode(into encoder: inout MessageEncoder) {
        encoder.encode(count, as: 1)
        encoder.encode(first, as: 2)
        encoder.encode(second, as: 3)
        encoder.encode(third, as: 4)
        encoder.encode(fourth, as: 5)
        encoder.encode(fifth, as: 6)
        encoder.encode(sixth, as: 7)
        encoder.encode(seventh, as: 8)
        encoder.encode(eighth, as: 9)
    }

    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        count = min(try decoder.decode(1), UInt32(Self.most))
        first = try decoder.decode(2)
        second = try decoder.decode(3)
        third = try decoder.decode(4)
        fourth = try decoder.decode(5)
        fifth = try decoder.decode(6)
        sixth = try decoder.decode(7)
        seventh = try decoder.decode(8)
        eighth = try decoder.decode(9)
    }
}
