package import AnnexMessages

/// What a member may ask about secrets.
package enum SecretMethod {
    /// `SecretValue`; answered without a body when the secret is durable. Without bytes, it removes the secret.
    package static let set = PortalMethod(.secrets, number: 1)
    /// `NameList` with one name; answered with `SecretValue`.
    package static let value = PortalMethod(.secrets, number: 2)
    /// Answered with `NameList`.
    package static let names = PortalMethod(.secrets, number: 3)
    /// Answered with `NameList`: one text, which says where the key comes from.
    package static let keySource = PortalMethod(.secrets, number: 4)
}

/// A secret and its name.
package struct SecretValue: Message, Hashable {
    package let name: String
    /// nil if there is none.
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
