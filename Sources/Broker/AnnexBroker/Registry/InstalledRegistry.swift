internal import AnnexBundle
internal import Synchronization

/// One broker's registry as an object of its own. A running extension asks it whether its installation is still
/// current, and must not keep the broker itself alive for that.
final class InstalledRegistry: Sendable {
    private let registry = Mutex(Registry())

    func withLock<Result, Failure: Error>(
        _ body: (inout sending Registry) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try registry.withLock(body)
    }

    /// Whether a launch would start the extension from this installation now.
    func isCurrent(_ identifier: String, instance: UInt64) -> Bool {
        registry.withLock { $0.instance(of: identifier) == instance }
    }
}
