import AnnexChannel

/// A message with a field of every kind.
struct Sample: Message, Equatable {
    var small: UInt8 = 7
    var number: Int64 = -5
    var real = 1.5
    var truth = true
    var text = "grüß"
    var bytes: [UInt8] = [0, 255]
    var inner: [Inner] = [Inner(names: ["a", ""])]
    var late: UInt32?

    struct Inner: Message, Equatable {
        var names: [String]

        init(names: [String]) { self.names = names }
        func encode(into encoder: inout MessageEncoder) { encoder.encode(list: names, as: 1) }
        init(from decoder: inout MessageDecoder) throws(DecodingFailure) { names = try decoder.decodeList(1) }
    }

    init() {}

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(small, as: 1)
        encoder.encode(number, as: 2)
        encoder.encode(real, as: 3)
        encoder.encode(truth, as: 4)
        encoder.encode(text, as: 5)
        encoder.encode(bytes, as: 6)
        encoder.encode(list: inner, as: 7)
        encoder.encode(late, as: 8)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        small = try decoder.decode(1)
        number = try decoder.decode(2)
        real = try decoder.decode(3)
        truth = try decoder.decode(4)
        text = try decoder.decode(5)
        bytes = try decoder.decode(6)
        inner = try decoder.decodeList(7)
        late = try decoder.decodeIfPresent(8)
    }
}
