import AnnexChannel

/// A typical message: a few numbers, a text, and some bytes. Its response is a message of the same type.
struct Sample: ChannelRequest {
    static let method: UInt16 = 10
    typealias Response = Sample

    var count: UInt32 = 3
    var offset: UInt64 = 1 << 40
    var name = "holiday"
    var bytes: [UInt8] = Array(0..<32)

    init() {}

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(count, as: 1)
        encoder.encode(offset, as: 2)
        encoder.encode(name, as: 3)
        encoder.encode(bytes, as: 4)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        count = try decoder.decode(1)
        offset = try decoder.decode(2)
        name = try decoder.decode(3)
        bytes = try decoder.decode(4)
    }
}
