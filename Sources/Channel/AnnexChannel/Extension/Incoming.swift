/// What an extension can be told.
public enum Incoming: ~Copyable {
    /// Something to answer.
    case request(IncomingRequest)
    /// A one-way message.
    case event(ChannelEvent)
}
