import AnnexBroker
import AnnexTestSupport
import Synchronization

/// The ends that the broker reported, separate from those of the sessions.
final class EndBook: Sendable {
    private let ends = Mutex<[EndedExtension]>([])

    func note(_ end: EndedExtension) { ends.withLock { $0.append(end) } }

    /// All ends since the last call, after at least one has arrived. If an end is reported twice, the next call shows
    /// it.
    func take() async -> [EndedExtension] {
        await eventually { ends.withLock { !$0.isEmpty } }
        return ends.withLock { ends in
            defer { ends = [] }
            return ends
        }
    }
}

final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock { $0 } }
    func raise() { state.withLock { $0 = true } }
}
