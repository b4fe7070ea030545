import AnnexBroker
import AnnexTestSupport
import Synchronization

/// What the broker told of ends, beside what sessions say.
final class EndBook: Sendable {
    private let ends = Mutex<[EndedExtension]>([])

    func note(_ end: EndedExtension) { ends.withLock { $0.append(end) } }

    /// All since the last time, once there is one. One too many shows the next time.
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
