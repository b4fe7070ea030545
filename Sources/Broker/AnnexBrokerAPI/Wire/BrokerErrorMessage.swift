internal import AnnexChannel

/// The wire form of a `BrokerError`.
struct BrokerErrorMessage: Message {
    let value: BrokerError

    init(_ value: BrokerError) {
        self.value = value
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(value.code.rawValue, as: 1)
        encoder.encode(value.what, as: 2)
        encoder.encode(value.place, as: 3)
        encoder.encode(value.remedy, as: 4)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        // A newer daemon may send a code that this host does not know.
        let code = BrokerError.Code(rawValue: try decoder.decode(1, as: String.self)) ?? .system
        let what = try decoder.decode(2, as: String.self)
        value = BrokerError(
            code, what, place: try decoder.decode(3, as: String.self),
            remedy: try decoder.decodeIfPresent(4, as: String.self))
    }
}
