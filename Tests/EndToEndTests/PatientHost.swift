import AnnexBroker
import AnnexHost
import AnnexPolicy
import AnnexTestSupport

extension AnnexHost {
    /// A host with its own broker, which has one app and long time limits. A test may change the limits.
    static func patient(
        with app: SubstituteApp, _ adjust: @escaping @Sendable (inout PolicyLimits) -> Void = { _ in }
    ) throws -> AnnexHost {
        var wishes = BrokerConfiguration()
        wishes.patience = .patience
        wishes.adjust = adjust
        let broker = try Broker(wishes)
        _ = try broker.install(app: app.path)
        return AnnexHost(service: broker)
    }
}
