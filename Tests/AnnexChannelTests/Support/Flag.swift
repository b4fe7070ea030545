import Synchronization

/// A flag that threads share.
final class Flag: Sendable {
    private let flag = Atomic<Bool>(false)

    var isSet: Bool { flag.load(ordering: .sequentiallyConsistent) }

    func set() {
        flag.store(true, ordering: .sequentiallyConsistent)
    }
}
