public import AnnexChannel

/// A request of `serves-types` with a word. The response is the resulting word.
public struct Word: ChannelRequest, Hashable {
    public static let method: UInt16 = 20
    public typealias Response = Word

    public var text: String

    public init(_ text: String) { self.text = text }

    public func encode(into encoder: inout MessageEncoder) { encoder.encode(text, as: 1) }

    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) { text = try decoder.decode(1) }
}

/// The same request, from the extension to its host.
public struct Translation: ChannelRequest, Hashable {
    public static let method: UInt16 = 21
    public typealias Response = Word

    public var word: Word

    public init(of word: Word) { self.word = word }

    public func encode(into encoder: inout MessageEncoder) { encoder.encode(word, as: 1) }

    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) { word = try decoder.decode(1) }
}

/// A notice, which gets no answer.
public struct Remark: ChannelNotice, Hashable {
    public static let method: UInt16 = 22

    public var text: String

    public init(_ text: String) { self.text = text }

    public func encode(into encoder: inout MessageEncoder) { encoder.encode(text, as: 1) }

    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) { text = try decoder.decode(1) }
}

/// A stream whose messages are sent back.
public enum Echo {
    public static let method: UInt16 = 23
}

/// A call of an extension point, of the kind that Annex defines. It requests the text that the host shows beside the
/// extension.
package struct Caption: ChannelRequest, PointMessage, Hashable {
    package static let method: UInt16 = 0xFEE0
    package typealias Response = Word

    package init() {}

    package func encode(into encoder: inout MessageEncoder) {}

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {}
}
