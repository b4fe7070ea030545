internal import AnnexBrokerAPI
internal import AnnexChannel

/// A host's parameters for a launch.
struct LaunchWish: Sendable {
    let identifier: String
    /// The extension point that the host expects; nil if any will do.
    let point: String?
    let timeLimit: Duration?
    /// The host's answers to the extension's own requests.
    let hosted: HostService
}

/// A session before its extension is launched: the host's end of a channel, and the ends to hand over.
struct SessionDraft: ~Copyable {
    let link: SessionLink
    let endpoint: HostEndpoint
    let descriptors: ExtensionDescriptors
    /// The extension point's limit for one request, or the host's tighter one.
    let patience: CallPatience?
    /// Receives the broker's events.
    let events: @Sendable (ExtensionEvent) -> Void

    init(_ wish: LaunchWish, _ terms: SessionTerms, _ configure: (inout ChannelConfiguration) -> Void) throws {
        let link = SessionLink()
        var configuration = terms.channel
        configuration.label = wish.identifier
        configure(&configuration)
        configuration.callLimit = [configuration.callLimit, wish.timeLimit].compactMap(\.self).min()
        var handlers = link.handlers
        wish.hosted.install(in: &handlers)
        let channel = try HostEndpoint.make(configuration: configuration, handlers: handlers)
        let endpoint = channel.host
        self.link = link
        self.endpoint = endpoint
        descriptors = channel.descriptors
        patience = configuration.callLimit.map { CallPatience($0) }
        events = { link.receive($0, endpoint: endpoint) }
    }
}
