package import AnnexChannel

/// What a daemon answers to one request.
package enum ServiceAnswer: Sendable, Hashable {
    case done
    /// - Parameter isAll: whether nothing follows behind the last.
    case extensions([InstalledExtension], isAll: Bool)
    case channelConfiguration(ChannelConfiguration)
    case failed(ServiceError)
}
