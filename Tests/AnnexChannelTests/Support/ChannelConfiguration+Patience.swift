import AnnexChannel
import AnnexTestSupport

extension ChannelConfiguration {
    /// A ring stays full for as long as its reader gets no processor, which says nothing about the channel.
    static var patient: ChannelConfiguration {
        var configuration = ChannelConfiguration()
        configuration.sendLimit = .patience
        return configuration
    }
}
