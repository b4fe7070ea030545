/// A one-way message.
public struct ChannelEvent: Sendable, Hashable {
    /// What it is about; the caller's own numbering.
    public let method: UInt16
    /// The sender's bytes, copied; of an extension's nothing is known but their number.
    public let payload: [UInt8]

    public init(method: UInt16, payload: [UInt8] = []) {
        self.method = method
        self.payload = payload
    }
}

extension ChannelEvent {
    /// The method of the event by which a host says that the work is over: an extension tidies up and ends.
    public static let goodbye: UInt16 = 2
}
