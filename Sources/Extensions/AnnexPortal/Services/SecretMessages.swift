package import AnnexMessages

/// The requests of a group's member, an extension or app, about the group's secrets.
package enum SecretMethod {
    /// The request carries `SecretValue`. If this value has no bytes, the secret is removed. The answer has no body,
    /// and is sent when the change is durable.
    package static let set = PortalMethod(.secrets, number: 1)
    /// The request carries a `NameList` with one name. The answer is a `SecretValue`.
    package static let value = PortalMethod(.secrets, number: 2)
    /// The answer is a `NameList`.
    package static let names = PortalMethod(.secrets, number: 3)
    /// The answer is a `NameList` with one text, which says where the key comes from.
    package static let keySource = PortalMethod(.secrets, number: 4)
}

/// A secret and its name.
package struct SecretValue: Message, Hashable {
    package let name: String
    /// The bytes of the secret. In an answer, nil means that there is no secret of this name. In a request, nil
    /// removes the secret.
    package let bytes: [UInt8]?

    package init(name: String, bytes: [UInt8]?) {
        self.name = name
        self.bytes = bytes
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(name, as: 1)
        encoder.encode(bytes, as: 2)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        name = try decoder.decode(1)
        bytes = try decoder.decodeIfPresent(2)
    }
}
