/// An extension's answer.
public struct Reply: Sendable {
    /// The extension's bytes, copied; nothing is known about them but their number.
    public let payload: [UInt8]
    /// Memory that the extension handed over: it cannot change any more, and its size is within the call's allowance.
    public let sealed: [SealedBytes]
}
