import AnnexChannel
import Synchronization

/// Passes descriptors to another thread.
final class Held: Sendable {
    private let descriptors: Mutex<ExtensionDescriptors?>

    init(_ descriptors: consuming ExtensionDescriptors) {
        self.descriptors = Mutex(descriptors)
    }

    func take() -> ExtensionDescriptors? {
        descriptors.withLock { $0.take() }
    }
}
