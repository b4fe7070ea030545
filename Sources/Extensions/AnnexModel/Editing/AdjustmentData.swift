public import AnnexChannel

/// A description of how a picture was edited, so that an extension can continue the edit later.
///
/// The host keeps the data beside the original picture. An extension that knows the format can read the data. This
/// type follows `PHAdjustmentData`.
public struct AdjustmentData: Sendable, Hashable {
    /// The format of `data`, in reverse DNS. From this identifier, an extension learns whether it can read the data.
    public let formatIdentifier: String
    /// The version of the format.
    public let formatVersion: String
    /// The edit in the format's own bytes. These bytes are sent in the item's message, so keep them to a few
    /// kilobytes.
    public let data: [UInt8]

    /// - Parameters:
    ///   - formatIdentifier: the format of `data`, in reverse DNS.
    ///   - formatVersion: the version of the format.
    ///   - data: the edit.
    public init(formatIdentifier: String, formatVersion: String, data: [UInt8]) {
        self.formatIdentifier = formatIdentifier
        self.formatVersion = formatVersion
        self.data = data
    }
}

extension AdjustmentData {
    /// The key in an item's user info that holds the adjustment data.
    public static let userInfoKey = "adjustmentData"

    /// The adjustment data as a value for an item's user info.
    public var itemValue: ItemValue {
        [
            "formatIdentifier": .string(formatIdentifier), "formatVersion": .string(formatVersion),
            "data": .data(data),
        ]
    }

    /// Reads adjustment data from a value of an item's user info; nil if the value holds none.
    public init?(_ value: ItemValue) {
        guard let values = value.dictionary, let identifier = values["formatIdentifier"]?.string,
            let version = values["formatVersion"]?.string, let data = values["data"]?.data
        else { return nil }
        self.init(formatIdentifier: identifier, formatVersion: version, data: data)
    }
}

extension AdjustmentData {
    /// The adjustment data as one array of bytes, for a file beside the picture.
    /// - Throws: `ItemFailure.failed` if the data is longer than a message.
    public func archived() throws(ItemFailure) -> [UInt8] {
        do {
            return try encoded()
        } catch {
            throw .failed("the adjustment data cannot be archived: \(error)")
        }
    }

    /// Reads an archive that `archived()` returned.
    /// - Parameter archive: the bytes of the file.
    /// - Throws: `ItemFailure.failed` if the bytes are not such an archive.
    public init(archive: [UInt8]) throws(ItemFailure) {
        do {
            try self.init(decoding: archive)
        } catch {
            throw .failed("is no archive of adjustment data: \(error)")
        }
    }
}

extension AdjustmentData: Message {
    public func encode(into encoder: inout MessageEncoder) {
        encoder.encode(formatIdentifier, as: 1)
        encoder.encode(formatVersion, as: 2)
        encoder.encode(data, as: 3)
    }

    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        formatIdentifier = try decoder.decode(1)
        formatVersion = try decoder.decode(2)
        data = try decoder.decode(3)
    }
}
