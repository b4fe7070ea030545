internal import Synchronization

/// The running extensions, until their ends are reported.
///
/// This is a separate object, so that an end that is reported on the event loop's thread never keeps the broker alive.
/// Releasing the last reference to a broker waits for its warden, and the event loop must not wait.
final class RunningExtensions: Sendable {
    private struct State {
        var extensions: [UInt64: SupervisedExtension] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Adds the extension that `make` returns. `make` gets a closure that removes it again.
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
        // The last reference is released outside the lock.
        let removed = state.withLock { $0.extensions.removeValue(forKey: number) }
        withExtendedLifetime(removed) {}
    }
}
