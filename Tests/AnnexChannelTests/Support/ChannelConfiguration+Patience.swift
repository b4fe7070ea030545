import AnnexChannel
import AnnexTestSupport

extension ChannelConfiguration {
    /// The time limits are long, because a ring stays full as long as its reader gets no processor. That says nothing
    /// about the channel.
    static var patient: ChannelConfiguration {
        var configuration = ChannelConfiguration()
        configuration.sendLimit = .patience
        return configuration
    }
}
