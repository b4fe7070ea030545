public import AnnexChannel

extension ExtensionError: Message {
    public func encode(into encoder: inout MessageEncoder) {
        encoder.encode(code, as: 1)
        encoder.encode(domain, as: 2)
        encoder.encode(localizedDescription, as: 3)
    }

    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        code = try decoder.decode(1)
        domain = try decoder.decode(2)
        localizedDescription = try decoder.decode(3, default: "")
    }
}
