import AnnexChannel
import AnnexTestSupport

extension ChannelConfiguration {
    /// A ring stays full as long as its reader gets no processor time, even if the channel works well. So the time
    /// limits are long.
    static var patient: ChannelConfiguration {
        var configuration = ChannelConfiguration()
        configuration.sendLimit = .patience
        return configuration
    }
}
