import AnnexPolicy
import FoundationEssentials

/// A value of a program's own type as JSON text.
///
/// Every command that prints or writes such a value uses this type. Foundation's encoder escapes only the oldest control
/// characters. A file's name or a program's argument in the value could so reach a terminal as it is, and move its
/// cursor or reverse its text. `JSON.escaping` therefore escapes everything that is not printable ASCII.
enum EncodedJSON {
    /// The value as one object over several lines, with its keys in order.
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return JSON.escaping(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// The value as one object on one line, with its keys in order.
    static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return JSON.escaping(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
