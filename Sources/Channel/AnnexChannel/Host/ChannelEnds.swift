/// A new channel: the host's end, ready for calls, and what the extension is to inherit.
@frozen public struct ChannelEnds: ~Copyable, Sendable {
    public let host: HostEndpoint
    public var descriptors: ExtensionDescriptors
}
