internal import AnnexModel
internal import Synchronization

/// The state of a compose sheet. Answers and notices of the extension change this state.
final class ComposeBoard: Sendable {
    private struct Contents {
        var state = ComposeState()
        var applied = AppliedChanges()
        var hasSheet = false
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

    func replaceText(with text: String) { contents.withLock { $0.state.contentText = text } }

    /// - Parameter isAsked: whether a function of the dialogue returns the new state. If so, `changes` omits the
    ///   state.
    func apply(_ change: ComposeChange, isAsked: Bool) {
        let state = contents.withLock { contents in
            contents.state.apply(change, after: &contents.applied)
            return contents.state
        }
        if !isAsked { continuation.yield(state) }
    }

    /// Records that the extension has opened its sheet.
    func open() { contents.withLock { $0.hasSheet = true } }

    /// Ends the stream of changes. The request has its answer, so no change follows.
    func close() { continuation.finish() }
}
