internal import AnnexBundle
internal import Synchronization

/// One broker's registry, for whatever outlives a call of the broker's: an extension at work asks it whether it is still
/// the one that is installed. Such an extension must not hold the broker itself.
final class InstalledRegistry: Sendable {
    private let registry = Mutex(Registry())

    func withLock<Result, Failure: Error>(
        _ body: (inout sending Registry) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try registry.withLock(body)
    }

    /// Whether an extension from this installation is what a launch would start now.
    func isCurrent(_ identifier: String, instance: UInt64) -> Bool {
        registry.withLock { $0.instance(of: identifier) == instance }
    }
}
