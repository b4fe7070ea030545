public import AnnexMacros

// Messages that the macro makes. They cover every kind of property, every access level, and every kind of message.

@Message struct Frame: Hashable {
    @FieldTag(1) var at: UInt32
    @FieldTag(2) var image: [UInt8]
}

enum Ease: UInt8, FieldValue {
    case linear, smooth
}

/// The properties are not in the order of their tags, but the fields are.
@Message struct Fade: Hashable {
    @FieldTag(4) var speed: Double = 1
    @FieldTag(1) var level: Int64
    @FieldTag(2) var name: String?
    @FieldTag(3) var frames: [Frame]
    @FieldTag(500) var ease: Ease = .smooth
    @FieldTag(7) private(set) var key: Frame?
    @FieldTag(8) var `default`: [UInt8]?
    @FieldTag(9) var encoder = "none"
    @FieldTag(0xFFFF) let decoder: [[UInt8]]

    /// This property is computed, so it is not a field.
    var isSlow: Bool { speed < 1 }
}

/// A message that contains messages of its own type, to any depth.
@Message(retired: 3) struct Tree: Hashable {
    @FieldTag(1) var isLeaf: Bool
    @FieldTag(2) var branches: [Tree] = []
}

@Message struct Numbers: Hashable {
    @FieldTag(1) var a: UInt8
    @FieldTag(2) var b: UInt16 = 2
    @FieldTag(3) var c: UInt64?
    @FieldTag(4) var d: Int8
    @FieldTag(5) var e: [Int16]
    @FieldTag(6) var f: Int32
    @FieldTag(7) var g: Float
    @FieldTag(8) var h: Bool = true
}

/// The type of the elements is a generic parameter.
@Message struct Page<Element: FieldValue & Hashable>: Hashable {
    @FieldTag(1) var first: Element
    @FieldTag(2) var others: [Element]
}

/// A request that the two sides of a channel share.
@Message public struct Count: ChannelRequest {
    /// The number of the request.
    public static let method: UInt16 = 10
    /// The type of the answer.
    public typealias Response = Counted

    /// The word to count.
    @FieldTag(1) public var word: String

    /// - Parameter word: the word to count.
    public init(word: String) {
        self.word = word
    }
}

/// The answer to `Count`. The struct itself states its conformance to `Message`.
@Message public struct Counted: Message, Hashable {
    /// How many times the word occurs.
    @FieldTag(1) public var times: UInt32
}

@AnnexMacros.Message package struct Progress: ChannelNotice {
    package static let method: UInt16 = 11

    @AnnexMacros.FieldTag(1) var done: UInt32
}

/// A message without fields.
@Message private struct Nothing {}

/// A type that surrounds messages.
public enum Outer {
    @Message fileprivate struct Hidden {
        @FieldTag(1) var nothing: Nothing
    }

    /// Encodes and decodes a message that no other file can see.
    /// - Returns: the bytes of the message.
    static func bytesOfHidden() throws -> [UInt8] {
        let bytes = try Hidden(nothing: Nothing()).encoded()
        _ = try Hidden(decoding: bytes)
        return bytes
    }
}

public extension Outer {
    /// A message with the access level of the extension.
    @Message struct Shown {
        /// The only field.
        @FieldTag(1) var text: String
    }
}
