package import AnnexMessages

/// One message from the broker to an extension or app: the answer to a request, or news, which the broker sends
/// without a request. Descriptors may accompany the message.
package struct PortalDelivery: Message, Hashable {
    /// The most bytes of one delivery. A longer body is sent as sealed memory, in a descriptor.
    package static let mostBytes = 96 << 10
    package static let limits = MessageLimits(bytes: mostBytes, fields: 4096, depth: 32)

    /// The number of the request; 0 for news.
    package let call: UInt64
    /// The service that news come from; 0 in an answer.
    package let service: UInt16
    /// The group that news are about; empty in an answer.
    package let group: String
    package let body: [UInt8]
    /// The number of bytes of a body that is sent as sealed memory; 0 if the body is in the message.
    package let sealedBytes: UInt32
    /// The reason why the request failed; nil if the request succeeded.
    package let error: PortalError?

    package init(answer call: UInt64, body: [UInt8] = [], sealedBytes: UInt32 = 0, error: PortalError? = nil) {
        self.call = call
        service = 0
        group = ""
        self.body = body
        self.sealedBytes = sealedBytes
        self.error = error
    }

    package init(news service: PortalServiceName, group: String, body: [UInt8]) {
        call = 0
        self.service = service.rawValue
        self.group = group
        self.body = body
        sealedBytes = 0
        error = nil
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(call, as: 1)
        encoder.encode(service, as: 2)
        encoder.encode(group, as: 3)
        encoder.encode(body, as: 4)
        encoder.encode(error?.code.rawValue ?? 0, as: 5)
        encoder.encode(error?.what ?? "", as: 6)
        encoder.encode(error?.remedy, as: 7)
        encoder.encode(sealedBytes, as: 8)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        call = try decoder.decode(1)
        service = try decoder.decode(2)
        group = try decoder.decode(3)
        body = try decoder.decode(4)
        let code: UInt16 = try decoder.decode(5)
        let what: String = try decoder.decode(6)
        let remedy: String? = try decoder.decodeIfPresent(7)
        sealedBytes = try decoder.decode(8, default: 0)
        // A newer broker may send a kind of failure that this version does not know. Such a failure becomes `system`.
        error = code == 0 ? nil : PortalError(PortalError.Code(rawValue: code) ?? .system, what: what, remedy: remedy)
    }
}
