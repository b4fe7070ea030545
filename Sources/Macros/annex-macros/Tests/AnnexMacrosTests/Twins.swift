import AnnexMacros

/// A message of the macro that has a twin. The twin is written by hand.
protocol HasTwin: Message, Hashable {
    associatedtype Twin: Message & Hashable

    /// The same value in the form of the twin.
    var twin: Twin { get }
}

extension Fade: HasTwin {
    struct Twin: Message, Hashable {
        var level: Int64
        var name: String?
        var frames: [Frame.Twin]
        var speed: Double
        var key: Frame.Twin?
        var bytes: [UInt8]?
        var text: String
        var ease: Ease
        var pieces: [[UInt8]]
    }

    var twin: Twin {
        Twin(
            level: level, name: name, frames: frames.map(\.twin), speed: speed, key: key?.twin, bytes: `default`,
            text: encoder, ease: ease, pieces: decoder)
    }
}

extension Fade.Twin {
    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(level, as: 1)
        encoder.encode(name, as: 2)
        encoder.encode(list: frames, as: 3)
        encoder.encode(speed, as: 4)
        encoder.encode(key, as: 7)
        encoder.encode(bytes, as: 8)
        encoder.encode(text, as: 9)
        encoder.encode(ease, as: 500)
        encoder.encode(list: pieces, as: 65535)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        level = try decoder.decode(1)
        name = try decoder.decodeIfPresent(2)
        frames = try decoder.decodeList(3)
        speed = try decoder.decode(4, default: 1)
        key = try decoder.decodeIfPresent(7)
        bytes = try decoder.decodeIfPresent(8)
        text = try decoder.decode(9, default: "none")
        ease = try decoder.decode(500, default: .smooth)
        pieces = try decoder.decodeList(65535)
    }
}

extension Frame: HasTwin {
    struct Twin: Message, Hashable {
        var at: UInt32
        var image: [UInt8]
    }

    var twin: Twin { Twin(at: at, image: image) }
}

extension Frame.Twin {
    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(at, as: 1)
        encoder.encode(image, as: 2)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        at = try decoder.decode(1)
        image = try decoder.decode(2)
    }
}

extension Tree: HasTwin {
    struct Twin: Message, Hashable {
        var isLeaf: Bool
        var branches: [Twin]
    }

    var twin: Twin { Twin(isLeaf: isLeaf, branches: branches.map(\.twin)) }
}

extension Tree.Twin {
    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(isLeaf, as: 1)
        encoder.encode(list: branches, as: 2)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        isLeaf = try decoder.decode(1)
        branches = try decoder.decodeList(2)
    }
}
