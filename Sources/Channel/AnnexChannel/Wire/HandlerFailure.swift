/// Why a request was not done, as the one who serves it says. The caller gets both.
public struct HandlerFailure: Error, Sendable, Hashable {
    /// Free for host and extension to agree on, below 0xFFFF_FF00; those above are Annex's own.
    public let code: UInt32
    /// For people.
    public let text: String

    public init(code: UInt32, text: String) {
        self.code = code
        self.text = text
    }
}

extension HandlerFailure {
    /// From here on codes are Annex's own.
    package static let firstReservedCode: UInt32 = 0xFFFF_FF00
    /// The request was let go of without an answer.
    static let droppedCode: UInt32 = .max
    /// Nobody here serves this method.
    public static let unknownMethodCode: UInt32 = 0xFFFF_FFFE
    /// The request's bytes are not what its method says.
    public static let unreadableCode: UInt32 = 0xFFFF_FFFD
    /// The handler threw an error of another type.
    public static let thrownCode: UInt32 = 0xFFFF_FFFC
    /// The answer would be larger than a message may be.
    public static let tooLargeCode: UInt32 = 0xFFFF_FFFB
    /// As many calls are open as this side serves at once.
    public static let busyCode: UInt32 = 0xFFFF_FFFA

    /// Any error as one that travels.
    init(describing error: any Error) {
        self = error as? HandlerFailure ?? HandlerFailure(code: Self.thrownCode, text: "\(error)")
    }
}
