/// The response to a request that has nothing to say but that it was done.
public struct NoContent: Message, Hashable {
    public init() {}

    public func encode(into encoder: inout MessageEncoder) {}

    /// Whatever fields a newer writer added are skipped.
    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {}
}
