package import AnnexChannel

/// The limits that an extension's policy sets for its host.
package struct SessionTerms: Sendable, Hashable {
    /// The limits of the channel, which the host makes.
    package var channel: ChannelConfiguration
    /// How long an extension that has served a standby's single request may wait for the next one. Zero means that it
    /// is ended instead.
    package var keepAlive: Duration

    package init(channel: ChannelConfiguration = ChannelConfiguration(), keepAlive: Duration = .zero) {
        self.channel = channel
        self.keepAlive = keepAlive
    }
}
