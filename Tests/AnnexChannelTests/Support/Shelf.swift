import Synchronization

@testable import AnnexChannel

/// Keeps requests until it is cleared.
final class Shelf: Sendable {
    private let held = Mutex<[Box<HostedRequest>]>([])

    var count: Int { held.withLock { $0.count } }

    var areAllCancelled: Bool {
        held.withLock { $0.allSatisfy { box in box.value.withLock { $0?.isCancelled ?? false } } }
    }

    func put(_ request: consuming HostedRequest) {
        let box = Box(Mutex<HostedRequest?>(consume request))
        held.withLock { $0.append(box) }
    }

    /// Releases the requests outside the lock, because a released request is answered.
    func clear() {
        let held = held.withLock { held in
            defer { held = [] }
            return held
        }
        withExtendedLifetime(held) {}
    }
}
