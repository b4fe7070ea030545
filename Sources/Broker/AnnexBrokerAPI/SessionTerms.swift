package import AnnexChannel

/// What an extension's policy lets its host have.
package struct SessionTerms: Sendable, Hashable {
    /// The bounds of the channel, which the host makes.
    package var channel: ChannelConfiguration
    /// How long a process that has served a request may wait for another; zero: it serves no other.
    package var keepAlive: Duration

    package init(channel: ChannelConfiguration = ChannelConfiguration(), keepAlive: Duration = .zero) {
        self.channel = channel
        self.keepAlive = keepAlive
    }
}
