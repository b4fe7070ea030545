internal import Synchronization

/// A sequence with one value for each change of the installed apps and extensions. Changes are: an app was installed or
/// removed, another version of it is used, or an extension was switched on or off.
///
/// Each value is the number of the change. If changes come faster than they are read, only the last number is kept. So
/// read the list of extensions again after each value. The sequence ends with the host's connection to its broker.
///
/// ```swift
/// for await _ in host.changes { show(try host.installed()) }
/// ```
public struct InstalledChanges: AsyncSequence, Sendable {
    public typealias Element = UInt64
    public typealias Failure = Never

    private let stream: AsyncStream<UInt64>

    fileprivate init(_ stream: AsyncStream<UInt64>) {
        self.stream = stream
    }

    /// Reads the changes of one sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<UInt64>.Iterator

        /// The number of the last change that was not read yet. It suspends until there is one, and returns nil after
        /// the end of the connection or of the task.
        public mutating func next() async -> UInt64? { await base.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }
}

/// Passes the changes of one broker on to every sequence that follows them.
package final class ChangeFeed: Sendable {
    private struct State {
        var generation: UInt64 = 0
        var lastFollower: UInt64 = 0
        var followers: [UInt64: AsyncStream<UInt64>.Continuation] = [:]
        var isOver = false
    }

    private let state = Mutex(State())

    package init() {}

    /// A sequence of the changes from now on. If the feed has ended, the sequence ends at once.
    package func follow() -> InstalledChanges {
        let (stream, continuation) = AsyncStream.makeStream(of: UInt64.self, bufferingPolicy: .bufferingNewest(1))
        let number: UInt64? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.lastFollower += 1
            state.followers[state.lastFollower] = continuation
            return state.lastFollower
        }
        guard let number else {
            continuation.finish()
            return InstalledChanges(stream)
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.followers.removeValue(forKey: number) }
        }
        return InstalledChanges(stream)
    }

    /// Counts one more change, and announces it.
    /// - Returns: the change's number.
    @discardableResult
    package func announce() -> UInt64 {
        let number = state.withLock { state in
            state.generation += 1
            return state.generation
        }
        announce(number)
        return number
    }

    /// Announces a change that another broker has numbered.
    package func announce(_ number: UInt64) {
        for follower in state.withLock({ Array($0.followers.values) }) { follower.yield(number) }
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
