internal import AnnexModel
internal import Synchronization

/// The state of a dialogue, which answers and notices of the extension change.
final class ComposeBoard: Sendable {
    private struct Contents {
        var state = ComposeState()
        var applied = AppliedChanges()
        var hasSheet = false
        var isAnswered = false
        /// The events whose answers are awaited.
        var events: [UInt64: Task<Result<ComposeAnswer, HostError>, Never>] = [:]
        var lastEvent: UInt64 = 0
    }

    private let contents = Mutex(Contents())
    let changes: AsyncStream<ComposeState>
    private let continuation: AsyncStream<ComposeState>.Continuation

    init(text: String) {
        (changes, continuation) = AsyncStream.makeStream(of: ComposeState.self, bufferingPolicy: .bufferingNewest(1))
        replaceText(with: text)
    }

    var state: ComposeState { contents.withLock { $0.state } }
    var hasSheet: Bool { contents.withLock { $0.hasSheet } }
    var isAnswered: Bool { contents.withLock { $0.isAnswered } }

    func replaceText(with text: String) { contents.withLock { $0.state.contentText = text } }

    /// - Parameter isAsked: whether a function of the dialogue returns the new state.
    func apply(_ change: ComposeChange, isAsked: Bool) {
        let state = contents.withLock { contents in
            contents.state.apply(change, after: &contents.applied)
            return contents.state
        }
        if !isAsked { continuation.yield(state) }
    }

    /// Keeps an event, to cancel it when the request has its answer.
    /// - Returns: the number to remove it by; nil if the request has its answer already.
    func add(_ event: Task<Result<ComposeAnswer, HostError>, Never>) -> UInt64? {
        contents.withLock { contents in
            guard !contents.isAnswered else { return nil }
            contents.lastEvent += 1
            contents.events[contents.lastEvent] = event
            return contents.lastEvent
        }
    }

    func remove(_ event: UInt64) { contents.withLock { _ = $0.events.removeValue(forKey: event) } }

    /// The extension has opened its sheet.
    func open() { contents.withLock { $0.hasSheet = true } }

    /// The request has its answer, so the sheet is closed.
    func close() {
        let events = contents.withLock { contents in
            contents.isAnswered = true
            defer { contents.events = [:] }
            return contents.events
        }
        for event in events.values { event.cancel() }
        continuation.finish()
    }
}
