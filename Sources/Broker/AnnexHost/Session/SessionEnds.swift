internal import AnnexBrokerAPI
public import AnnexModel

/// The end of one session of a host.
public struct SessionEnd: Sendable, Hashable {
    /// The extension's bundle identifier.
    public let identifier: String
    /// How the extension ended.
    public let termination: Termination
}

/// A sequence with one value for each end of a host's session.
///
/// If ends come faster than you read them, the last 256 ends are kept, and older ends are dropped. The sequence ends
/// when the program has released the host, its copies and its sessions.
///
/// ```swift
/// for await end in host.ends where end.termination.reason != .completed { show(end.identifier, end.termination) }
/// ```
public struct SessionEnds: AsyncSequence, Sendable {
    public typealias Element = SessionEnd
    public typealias Failure = Never

    /// The most ends that wait for the reader.
    static let mostKept = 256

    private let stream: AsyncStream<SessionEnd>

    init(following feed: Feed<SessionEnd>) {
        stream = feed.follow(keeping: SessionEnds.mostKept)
    }

    /// Reads the ends of one sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<SessionEnd>.Iterator

        /// The next end of a session. The call suspends until there is such an end. It returns nil after the sequence
        /// has ended or the task was cancelled.
        public mutating func next() async -> SessionEnd? { await base.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }
}
