package import AnnexLinux
internal import Synchronization

/// Holds a sandbox's scratch directory, so that this process can look at its files after the sandbox is gone. The
/// files stay in memory until the descriptor is closed.
package final class KeptScratch: Sendable {
    private let directory = Mutex<Descriptor?>(nil)

    package init() {}

    func keep(_ directory: consuming Descriptor) {
        var given: Descriptor? = consume directory
        self.directory.withLock { $0 = given.take() }
    }

    /// The directory, as a descriptor that only refers to it (`O_PATH`); nil if the launch did not get that far.
    package func take() -> Descriptor? { directory.withLock { $0.take() } }
}
