internal import Synchronization

/// Passes values on to every sequence that follows them.
package final class Feed<Element: Sendable>: Sendable {
    private struct State {
        var lastFollower: UInt64 = 0
        var followers: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var isOver = false
    }

    private let state = Mutex(State())

    package init() {}

    deinit { finish() }

    /// A sequence of the values from now on. If the feed has ended, the sequence ends at once.
    /// - Parameter most: how many values may wait for the reader. If more values come, the oldest values are dropped.
    package func follow(keeping most: Int) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(most))
        let number: UInt64? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.lastFollower += 1
            state.followers[state.lastFollower] = continuation
            return state.lastFollower
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.followers.removeValue(forKey: number) }
        }
        return stream
    }

    package func yield(_ element: Element) {
        for follower in state.withLock({ Array($0.followers.values) }) { follower.yield(element) }
    }

    /// Ends every sequence.
    package func finish() {
        // The sequences are ended outside the lock, because the end of a sequence takes the lock too.
        let followers = state.withLock { state in
            state.isOver = true
            defer { state.followers = [:] }
            return Array(state.followers.values)
        }
        for follower in followers { follower.finish() }
    }
}
