internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel

/// The wire form of a denied call.
struct DeniedCallMessage: Message {
    let value: DeniedCall

    init(_ value: DeniedCall) {
        self.value = value
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(value.name, as: 1)
        encoder.encode(list: value.arguments.map(\.description), as: 2)
        encoder.encode(value.layer, as: 3)
        encoder.encode(value.allowingLine, as: 4)
        encoder.encode(UInt64(clamping: value.count), as: 5)
        encoder.encode(list: value.backtrace.map(\.description), as: 6)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let name = try decoder.decode(1, as: String.self)
        let arguments = try decoder.decodeList(2, of: String.self)
        let layer = try decoder.decode(3, as: String.self)
        let line = try decoder.decodeIfPresent(4, as: String.self)
        let count = Int(clamping: try decoder.decode(5, as: UInt64.self))
        value = DeniedCall(
            name, arguments: arguments.map { Escaped(escapedBefore: $0) }, layer: layer, allowingLine: line,
            count: count, backtrace: try decoder.decodeList(6, of: String.self).map { Escaped(escapedBefore: $0) })
    }
}
