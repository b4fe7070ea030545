package import AnnexMessages

/// The requests of a group's member, an extension or app, about the group's shared defaults.
package enum DefaultsMethod {
    /// The answer is a `DefaultsSnapshot`.
    package static let snapshot = PortalMethod(.defaults, number: 1)
    /// The request carries a `DefaultsChange`. The answer has no body, and is sent when the change is durable.
    package static let change = PortalMethod(.defaults, number: 2)
    /// From now on the broker sends the member news of changes. These news have no body.
    package static let watch = PortalMethod(.defaults, number: 3)
}

/// The limits of the shared defaults of one group.
package enum DefaultsLimits {
    package static let keyBytes = 256
    package static let valueBytes = 64 << 10
    /// The bytes of all keys and values together.
    package static let bytes = 1 << 20
    package static let keys = 4096
    package static let messages = MessageLimits(bytes: 2 << 20, fields: 65_536, depth: 64)
}

/// A key with its encoded value.
package struct DefaultsEntry: Message, Hashable {
    package let key: String
    /// The encoding of an `ItemValue`; nil in a change that removes the key.
    package let value: [UInt8]?

    package init(key: String, value: [UInt8]?) {
        self.key = key
        self.value = value
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(key, as: 1)
        encoder.encode(value, as: 2)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        key = try decoder.decode(1)
        value = try decoder.decodeIfPresent(2)
    }
}

/// Keys that are set or removed together.
package struct DefaultsChange: Message, Hashable {
    package let entries: [DefaultsEntry]
    /// The change is made only if the values still have this generation. If this number is nil, the change is always
    /// made.
    package let generation: UInt64?

    package init(entries: [DefaultsEntry], generation: UInt64? = nil) {
        self.entries = entries
        self.generation = generation
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(list: entries, as: 1)
        encoder.encode(generation, as: 2)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        entries = try decoder.decodeList(1)
        generation = try decoder.decodeIfPresent(2)
    }
}

/// All values of a group at one moment.
package struct DefaultsSnapshot: Message, Hashable {
    package let entries: [DefaultsEntry]
    /// A number that grows with each change.
    package let generation: UInt64

    package init(entries: [DefaultsEntry], generation: UInt64) {
        self.entries = entries
        self.generation = generation
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(list: entries, as: 1)
        encoder.encode(generation, as: 2)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        entries = try decoder.decodeList(1)
        generation = try decoder.decode(2)
    }
}
