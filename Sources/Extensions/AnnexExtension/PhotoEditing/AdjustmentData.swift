/// How a picture was edited, so that the edit can be taken up again: kept by the host beside the picture, read by
/// extensions that know the format.
public struct AdjustmentData: Sendable, Hashable {
    /// Who knows how to read it, in reverse DNS.
    public let formatIdentifier: String
    /// Which version of the format.
    public let formatVersion: String
    /// The format's own bytes; a few kilobytes, since they travel in the message.
    public let data: [UInt8]

    public init(formatIdentifier: String, formatVersion: String, data: [UInt8]) {
        self.formatIdentifier = formatIdentifier
        self.formatVersion = formatVersion
        self.data = data
    }
}

extension AdjustmentData {
    /// The key of an item's user info under which it travels.
    public static let userInfoKey = "adjustmentData"

    /// As a value of an item's user info.
    public var itemValue: ItemValue {
        [
            "formatIdentifier": .string(formatIdentifier), "formatVersion": .string(formatVersion),
            "data": .data(data),
        ]
    }

    /// From a value of an item's user info; nil where it is none.
    public init?(_ value: ItemValue) {
        guard let values = value.dictionary, let identifier = values["formatIdentifier"]?.string,
            let version = values["formatVersion"]?.string, let data = values["data"]?.data
        else { return nil }
        self.init(formatIdentifier: identifier, formatVersion: version, data: data)
    }
}
