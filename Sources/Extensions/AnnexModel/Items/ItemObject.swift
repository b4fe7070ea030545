internal import AnnexChannel

/// A type of value that can be made from an attachment.
public protocol ItemObject: Sendable {
    /// The types that can be read as this object. The best type comes first.
    static var readableTypes: [TypeIdentifier] { get }
    /// - Throws: `ItemFailure.malformed` if the bytes are not an object of this type.
    init(itemData bytes: [UInt8]) throws(ItemFailure)
    /// The bytes that `init(itemData:)` reads.
    func itemData() throws(ItemFailure) -> [UInt8]
}

extension ItemProvider {
    /// Offers an object as an attachment, under the first of its readable types.
    public init(_ object: some ItemObject, suggestedName: String? = nil) throws(ItemFailure) {
        let types = Array(type(of: object).readableTypes.prefix(1))
        self.init(contents: try ItemContents(bytes: try object.itemData()), types: types, suggestedName: suggestedName)
    }
}

extension String: ItemObject {
    public static var readableTypes: [TypeIdentifier] { [.utf8PlainText, .plainText, .text] }

    public init(itemData bytes: [UInt8]) throws(ItemFailure) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed("the text is not UTF-8") }
        self = text
    }

    public func itemData() -> [UInt8] { Array(utf8) }
}

/// A URL as text. The URL comes from another program, so check its scheme before you open it.
public struct ItemURL: ItemObject, Hashable {
    public let string: String

    public static var readableTypes: [TypeIdentifier] { [.url] }
    /// The most bytes of a URL.
    public static let longest = 65_536

    /// - Throws: `malformed` if the text is empty, is longer than `longest`, has no scheme, or contains a space or a
    ///   control character.
    public init(_ string: String) throws(ItemFailure) {
        let bytes = string.utf8
        guard bytes.count <= Self.longest, bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw .malformed("the URL is too long, or has a space or a control character")
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(bytes[..<colon]) else {
            throw .malformed("the URL has no scheme")
        }
        self.string = string
    }

    public init(itemData bytes: [UInt8]) throws(ItemFailure) {
        try self.init(String(itemData: bytes))
    }

    public func itemData() -> [UInt8] { Array(string.utf8) }

    private static func isScheme(_ bytes: Substring.UTF8View) -> Bool {
        guard let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}

extension ItemValue: ItemObject {
    public static var readableTypes: [TypeIdentifier] { [TypeIdentifier(rawValue: "annex.property-value")] }

    public init(itemData bytes: [UInt8]) throws(ItemFailure) {
        do throws(DecodingFailure) {
            self = try ItemValue(decoding: bytes)
        } catch {
            throw .malformed("\(error)")
        }
    }

    public func itemData() throws(ItemFailure) -> [UInt8] {
        do throws(EncodingFailure) {
            return try encoded()
        } catch {
            throw .malformed("\(error)")
        }
    }
}
