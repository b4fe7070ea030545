import AnnexChannel

/// A request as an author would write it.
struct Resize: ChannelRequest, Equatable {
    static let method: UInt16 = 10
    typealias Response = Resized

    var width: UInt32
    var image: [UInt8]

    init(width: UInt32, image: [UInt8] = []) {
        self.width = width
        self.image = image
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(width, as: 1)
        encoder.encode(image, as: 2)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        width = try decoder.decode(1)
        image = try decoder.decode(2)
    }
}

struct Resized: Message, Equatable {
    var image: [UInt8]

    init(image: [UInt8]) { self.image = image }
    func encode(into encoder: inout MessageEncoder) { encoder.encode(image, as: 1) }
    init(from decoder: inout MessageDecoder) throws(DecodingFailure) { image = try decoder.decode(1) }
}

/// The same request as a newer host sends it, with fields that an older reader does not know.
struct NewerResize: ChannelRequest {
    static let method = Resize.method
    typealias Response = Resized

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(UInt32(5), as: 1)
        encoder.encode([UInt8]([1, 2]), as: 2)
        encoder.encode("bicubic", as: 3)
        encoder.encode(Resized(image: [9]), as: 4)
    }

    init() {}
    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {}
}

/// Requests a response of another form than the extension gives.
struct Misread: ChannelRequest {
    static let method = Resize.method

    struct Response: Message {
        let number: UInt64
        func encode(into encoder: inout MessageEncoder) { encoder.encode(number, as: 1) }
        init(from decoder: inout MessageDecoder) throws(DecodingFailure) { number = try decoder.decode(1) }
    }

    func encode(into encoder: inout MessageEncoder) { Resize(width: 1).encode(into: &encoder) }
    init() {}
    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {}
}

struct Forget: ChannelRequest {
    static let method: UInt16 = 11
    typealias Response = NoContent

    func encode(into encoder: inout MessageEncoder) {}
    init() {}
    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {}
}

struct Unserved: ChannelRequest {
    static let method: UInt16 = 99
    typealias Response = NoContent

    func encode(into encoder: inout MessageEncoder) {}
    init() {}
    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {}
}

struct Hint: ChannelNotice {
    static let method: UInt16 = 12
    var width: UInt32

    init(width: UInt32) { self.width = width }
    func encode(into encoder: inout MessageEncoder) { encoder.encode(width, as: 1) }
    init(from decoder: inout MessageDecoder) throws(DecodingFailure) { width = try decoder.decode(1) }
}
