package import AnnexMessages

/// The services that a broker offers through a portal, its connection to one extension or app.
package enum PortalServiceName: UInt16, Sendable, Hashable, CaseIterable {
    /// The container, the shared words and the locks of a group.
    case groups = 1
    /// Shared defaults.
    case defaults
    /// Coordinated access to files.
    case coordination
    /// Named pasteboards.
    case pasteboard
    /// Secrets.
    case secrets
    /// Opening URLs.
    case opening
    /// Background transfers.
    case transfers
}

/// One kind of request: the service, and the number of the request in that service.
package struct PortalMethod: Sendable, Hashable {
    package let service: PortalServiceName
    package let number: UInt16

    package init(_ service: PortalServiceName, number: UInt16) {
        self.service = service
        self.number = number
    }
}

/// One message from an extension or app to its broker. The message is sent as one datagram.
package struct PortalRequest: Message, Hashable {
    /// The most bytes of one request, that is, of the whole datagram.
    package static let mostBytes = 96 << 10
    package static let limits = MessageLimits(bytes: mostBytes, fields: 4096, depth: 32)

    /// The number that the caller gave to the request, from 1; 0 if the caller wants no answer.
    package let call: UInt64
    /// A `PortalServiceName` that has not been checked.
    package let service: UInt16
    /// The number of the request in its service. This number has not been checked.
    package let method: UInt16
    /// The group that the request is about; empty if the request is about no group.
    package let group: String
    package let body: [UInt8]

    package init(call: UInt64, method: PortalMethod, group: String, body: [UInt8]) {
        self.call = call
        service = method.service.rawValue
        self.method = method.number
        self.group = group
        self.body = body
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(call, as: 1)
        encoder.encode(service, as: 2)
        encoder.encode(method, as: 3)
        encoder.encode(group, as: 4)
        encoder.encode(body, as: 5)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        call = try decoder.decode(1)
        service = try decoder.decode(2)
        method = try decoder.decode(3)
        group = try decoder.decode(4)
        body = try decoder.decode(5)
    }
}
