internal import AnnexBrokerAPI
internal import AnnexLinux
internal import Synchronization

extension Daemon {
    /// Shuts the daemon down gracefully. It launches nothing more, notifies all hosts, and ends all extensions with the
    /// reason `brokerShutdown`. All wardens have ended when this returns. It takes no longer than the limit `farewell`.
    /// It must not run on the event loop's thread.
    package func leave() {
        let (watch, users, connections) = state.withLock { state in
            state.isLeaving = true
            defer { state.watch = nil }
            return (state.watch, Array(state.users.values), Array(state.connections.values))
        }
        watch?.cancelAndWait()
        for connection in connections { connection.send(.leaving) }
        let deadline = MonotonicClock.deadline(after: options.limits.farewell)
        repeat {
            // Repeated, because a launch may have been under way.
            for user in users { user.leave() }
            MonotonicClock.pause()
        } while MonotonicClock.now() < deadline
            && !(users.allSatisfy(\.hasLeft) && connections.allSatisfy(\.isFlushed))
        for connection in connections { connection.close("the daemon goes") }
        for user in users { user.dropMeans() }
    }
}

extension DaemonUser {
    /// Whether the user has no running extension and no open request any more.
    fileprivate var hasLeft: Bool {
        state.withLock { $0.running == 0 && $0.openRequests == 0 }
    }
}
