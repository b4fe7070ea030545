internal import AnnexBrokerAPI
public import AnnexModel

/// The end of one session of a host.
public struct SessionEnd: Sendable, Hashable {
    /// The extension's bundle identifier.
    public let identifier: String
    /// How the extension ended.
    public let termination: Termination
}

/// A sequence with one value for each session of a host that ends.
///
/// If ends come faster than they are read, the last 256 are kept, and older ones are dropped. The sequence ends when the
/// program has released the host, its copies and its sessions.
///
/// ```swift
/// for await end in host.ends where end.termination.reason != .completed { show(end.identifier, end.termination) }
/// ```
public struct SessionEnds: AsyncSequence, Sendable {
    public typealias Element = SessionEnd
    public typealias Failure = Never

    /// How many ends wait for the reader.
    static let mostKept = 256

    private let stream: AsyncStream<SessionEnd>

    init(following feed: Feed<SessionEnd>) {
        stream = feed.follow(keeping: SessionEnds.mostKept)
    }

    /// Reads the ends of one sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<SessionEnd>.Iterator

        /// The next end. It suspends until there is one, and returns nil after the end of the sequence or of the task.
        public mutating func next() async -> SessionEnd? { await base.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }
}
