import AnnexMacros

extension Numbers: HasTwin {
    struct Twin: Message, Hashable {
        var a: UInt8
        var b: UInt16
        var c: UInt64?
        var d: Int8
        var e: [Int16]
        var f: Int32
        var g: Float
        var h: Bool
    }

    var twin: Twin { Twin(a: a, b: b, c: c, d: d, e: e, f: f, g: g, h: h) }
}

extension Numbers.Twin {
    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(a, as: 1)
        encoder.encode(b, as: 2)
        encoder.encode(c, as: 3)
        encoder.encode(d, as: 4)
        encoder.encode(list: e, as: 5)
        encoder.encode(f, as: 6)
        encoder.encode(g, as: 7)
        encoder.encode(h, as: 8)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        a = try decoder.decode(1)
        b = try decoder.decode(2, default: 2)
        c = try decoder.decodeIfPresent(3)
        d = try decoder.decode(4)
        e = try decoder.decodeList(5)
        f = try decoder.decode(6)
        g = try decoder.decode(7)
        h = try decoder.decode(8, default: true)
    }
}

extension Page: HasTwin {
    struct Twin: Message, Hashable {
        var first: Element
        var others: [Element]
    }

    var twin: Twin { Twin(first: first, others: others) }
}

extension Page.Twin {
    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(first, as: 1)
        encoder.encode(list: others, as: 2)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        first = try decoder.decode(1)
        others = try decoder.decodeList(2)
    }
}
