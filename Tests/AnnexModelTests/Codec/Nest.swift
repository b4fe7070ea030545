import AnnexChannel

/// A message that contains messages of its own type, to any depth.
final class Nest: Message {
    let inner: [Nest]

    init(_ inner: [Nest]) { self.inner = inner }

    static func deep(_ levels: Int) -> Nest {
        var nest = Nest([])
        for _ in 0..<levels { nest = Nest([nest]) }
        return nest
    }

    func encode(into encoder: inout MessageEncoder) { encoder.encode(list: inner, as: 1) }
    init(from decoder: inout MessageDecoder) throws(DecodingFailure) { inner = try decoder.decodeList(1) }
}
