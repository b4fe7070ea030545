/// A handler's reason for failing a request. The caller receives code and text.
public struct HandlerFailure: Error, Sendable, Hashable {
    /// A code that host and extension agree on, below 0xFFFF_FF00; the codes from there on are reserved for Annex.
    public let code: UInt32
    /// A text for people.
    public let text: String

    public init(code: UInt32, text: String) {
        self.code = code
        self.text = text
    }
}

extension HandlerFailure {
    /// The first of the codes that are reserved for Annex.
    package static let firstReservedCode: UInt32 = 0xFFFF_FF00
    /// The handler dropped the request without an answer.
    static let droppedCode: UInt32 = .max
    /// No handler serves this method.
    public static let unknownMethodCode: UInt32 = 0xFFFF_FFFE
    /// The request's bytes cannot be decoded as its method requires.
    public static let unreadableCode: UInt32 = 0xFFFF_FFFD
    /// The handler threw an error of another type.
    public static let thrownCode: UInt32 = 0xFFFF_FFFC
    /// The answer would exceed the size of a message.
    public static let tooLargeCode: UInt32 = 0xFFFF_FFFB
    /// The most calls that this side serves at once are already open.
    public static let busyCode: UInt32 = 0xFFFF_FFFA

    /// Converts any error into one that can be sent.
    init(describing error: any Error) {
        self = error as? HandlerFailure ?? HandlerFailure(code: Self.thrownCode, text: "\(error)")
    }
}
