internal import Synchronization

/// A sequence with one value for each change of the installed apps and extensions. A change is the installation or
/// removal of an app, or the use of another version. Switching an extension on or off is a change too, and so is
/// granting or revoking its entitlements.
///
/// Each value is the number of the change. If changes come faster than you read them, only the last number is kept. So
/// read the list of extensions again after each value. The sequence ends when the host's connection to its broker ends.
///
/// ```swift
/// for await _ in host.changes { show(try await host.installed()) }
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

        /// The number of the last change that was not read yet. The call suspends until there is a change. It returns
        /// nil after the connection has ended or the task was cancelled.
        public mutating func next() async -> UInt64? { await base.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }
}

/// Passes the changes of one broker on to every sequence that follows them.
package final class ChangeFeed: Sendable {
    private let generation = Mutex<UInt64>(0)
    private let feed = Feed<UInt64>()

    package init() {}

    /// A sequence of the changes from now on. If the feed has ended, the sequence ends at once.
    package func follow() -> InstalledChanges { InstalledChanges(feed.follow(keeping: 1)) }

    /// Counts one more change, and announces it.
    /// - Returns: the change's number.
    @discardableResult
    package func announce() -> UInt64 {
        let number = generation.withLock { generation in
            generation += 1
            return generation
        }
        announce(number)
        return number
    }

    /// Announces a change that another broker has numbered.
    package func announce(_ number: UInt64) { feed.yield(number) }

    /// Ends every sequence.
    package func finish() { feed.finish() }
}
