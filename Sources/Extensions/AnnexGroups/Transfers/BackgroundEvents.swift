internal import AnnexPortal
internal import Synchronization

/// What happens to the tasks of a background session.
///
/// Each outcome is delivered until a process has taken note of it. A loop takes note of an outcome when it asks for the
/// next event. So if the process ends while it works on an outcome, the outcome is delivered again. Progress is delivered
/// at most ten times a second.
///
/// The sequence ends when the session is invalidated, or when the broker ends.
public struct BackgroundEvents: AsyncSequence, Sendable {
    public typealias Element = BackgroundEvent

    private let session: BackgroundSession

    init(of session: BackgroundSession) { self.session = session }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(session) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private let session: BackgroundSession
        private var changes: AsyncStream<Void>.Iterator
        private var events: [BackgroundEvent] = []
        private var progress: [UInt64: BackgroundProgress] = [:]
        /// The outcome that was delivered last.
        private var delivered: UInt64?

        fileprivate init(_ session: BackgroundSession) {
            self.session = session
            changes = SessionWatches.changes(of: session).makeAsyncIterator()
        }

        /// - Throws: a `PortalError` if the broker cannot read its book.
        public mutating func next() async throws(PortalError) -> BackgroundEvent? {
            try await next(isolation: nil)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(PortalError) -> BackgroundEvent? {
            // Without this note, the outcome is delivered again to the next process that holds the session.
            if let task = delivered.take() { try? await session.note(task) }
            while events.isEmpty {
                guard await changes.next(isolation: actor) != nil else { return nil }
                do throws(PortalError) {
                    try await look(isolation: actor)
                } catch {
                    // The process can let the session go between the news and the look at the session.
                    guard error.code == .gone || session.isInvalidated else { throw error }
                    return nil
                }
            }
            let event = events.removeFirst()
            if case .ended(let task, _) = event { delivered = task.id }
            return event
        }

        private mutating func look(isolation actor: isolated (any Actor)?) async throws(PortalError) {
            for status in try await session.state() {
                let task = BackgroundTask(id: status.number, session: session)
                guard status.phase == .ended else {
                    let now = BackgroundProgress(
                        sent: status.sent, received: status.received, expected: status.expected)
                    guard progress.updateValue(now, forKey: task.id) != now, now.sent > 0 || now.received > 0 else {
                        continue
                    }
                    events.append(.progress(task, now))
                    continue
                }
                if let outcome = try await task.outcome() { events.append(.ended(task, outcome)) }
            }
        }
    }
}

/// The streams of this process that wait for news of sessions.
enum SessionWatches {
    private struct Watch: Sendable {
        let session: BackgroundSession
        let changes: AsyncStream<Void>.Continuation
    }

    private struct State {
        var watches: [UInt64: Watch] = [:]
        var last: UInt64 = 0
    }

    private static let state = Mutex(State())

    /// A stream with one element now, and one after each change. Several changes that the reader has not seen are one
    /// element.
    static func changes(of session: BackgroundSession) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let portal = session.portal
        portal.handle(.transfers) { [weak portal] in
            for watch in all where watch.session.portal === portal { watch.changes.finish() }
        } with: { [weak portal] group, _ in
            for watch in all where watch.session.portal === portal && watch.session.group == group {
                watch.changes.yield()
            }
        }
        let number = state.withLock { state in
            state.last += 1
            state.watches[state.last] = Watch(session: session, changes: continuation)
            return state.last
        }
        continuation.onTermination = { _ in remove(number) }
        continuation.yield()
        return stream
    }

    /// Ends the streams of a session.
    static func end(_ session: BackgroundSession) {
        for watch in all where watch.session === session { watch.changes.finish() }
    }

    private static func remove(_ number: UInt64) {
        let removed = state.withLock { $0.watches.removeValue(forKey: number) }
        withExtendedLifetime(removed) {}
    }

    private static var all: [Watch] { state.withLock { Array($0.watches.values) } }
}
