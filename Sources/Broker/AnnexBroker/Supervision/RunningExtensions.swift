internal import Synchronization

/// The extensions that run, until their ends are told.
///
/// An object of its own, so that an end told on the event loop's thread never holds the broker: the last to let go of
/// a broker waits for its warden, which the loop must not.
final class RunningExtensions: Sendable {
    private struct State {
        var extensions: [UInt64: SupervisedExtension] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Adds what `make` makes; it is given what removes it again.
    func add(_ make: (_ remove: @escaping @Sendable () -> Void) -> SupervisedExtension) -> SupervisedExtension {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let supervised = make { [self] in remove(number) }
        state.withLock { $0.extensions[number] = supervised }
        return supervised
    }

    var all: [SupervisedExtension] { state.withLock { Array($0.extensions.values) } }

    private func remove(_ number: UInt64) {
        // Released outside the lock.
        let removed = state.withLock { $0.extensions.removeValue(forKey: number) }
        withExtendedLifetime(removed) {}
    }
}
