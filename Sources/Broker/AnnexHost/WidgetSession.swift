internal import AnnexBrokerAPI
public import AnnexChannel
public import AnnexModel
internal import Synchronization

extension AnnexHost {
    /// Launches a widget of the Today view. The widget is not shown before `WidgetSession.appear(at:)` is called.
    ///
    /// - Parameters:
    ///   - identifier: the widget's bundle identifier.
    ///   - point: the extension point that the host expects; nil for any point.
    ///   - service: serves the widget's other requests and notices.
    /// - Throws: as `begin` does.
    public nonisolated(nonsending) func widget(
        _ identifier: String, as point: String? = "com.apple.widget-extension",
        serving service: HostService = HostService()
    ) async throws(HostError) -> WidgetSession {
        let board = WidgetBoard()
        var service = service
        service.handle(WidgetChange.self) { board.apply($0, isAsked: false) }
        return WidgetSession(try await begin(identifier, as: point, serving: service), board: board)
    }
}

/// A running widget. The host informs the widget about events of the surface that shows it, and draws the widget's
/// view.
///
/// ```swift
/// let widget = try await host.widget("com.example.weather.today")
/// draw(try await widget.appear(at: placement))
/// if try await widget.performUpdate() == .newData { draw(widget.state) }
/// for await state in widget.changes { draw(state) }
/// ```
///
/// The widget is untrusted. The extension point's limit for a request, and its watchdog, apply to each event. Releasing
/// the last reference to this object ends the widget.
public final class WidgetSession: Sendable {
    /// The extension behind the view.
    public let session: ExtensionSession
    private let board: WidgetBoard

    init(_ session: ExtensionSession, board: WidgetBoard) {
        self.session = session
        self.board = board
        session.link.ended.whenReached { _ in board.close() }
    }

    /// The state to show now.
    public var state: WidgetState { board.state }

    /// A stream of the states after changes that the widget made by itself. The stream omits the states that a function
    /// of this object returns. Only the newest state is kept for a slow reader. The stream ends with the widget. Only
    /// one reader may read this stream.
    public var changes: AsyncStream<WidgetState> { board.changes }

    /// Informs the widget that it will be shown.
    /// - Returns: the state to draw.
    /// - Throws: `HostError.ended` and the other errors of a request. `.cancelled` has the widget's own error, for
    ///   example because its view breaks a limit.
    @discardableResult
    public nonisolated(nonsending) func appear(at placement: WidgetPlacement) async throws(HostError) -> WidgetState {
        try await send(.willAppear(placement))
        return state
    }

    /// Lets the widget look for new contents. After the update, `state` has the new view. Cancelling the task cancels
    /// the update.
    /// - Throws: as `appear(at:)`.
    public nonisolated(nonsending) func performUpdate() async throws(HostError) -> WidgetUpdateResult {
        // An answer without a result does not follow the protocol, so it counts as a failed update.
        try await send(.performUpdate).result ?? .failed
    }

    /// Informs the widget that its display mode or its largest size has changed.
    /// - Throws: as `appear(at:)`.
    @discardableResult
    public nonisolated(nonsending) func move(to placement: WidgetPlacement) async throws(HostError) -> WidgetState {
        try await send(.placementChanged(placement))
        return state
    }

    /// Passes on the user's action in the widget.
    /// - Throws: as `appear(at:)`.
    @discardableResult
    public nonisolated(nonsending) func perform(_ action: ContentAction) async throws(HostError) -> WidgetState {
        session.noteUserAction()
        return try await performLate(action)
    }

    /// Passes on an action that the user made a while ago. The action is not reported to the broker. So the broker
    /// does not let the widget open an app because of this action.
    /// - Throws: as `appear(at:)`.
    @discardableResult
    package nonisolated(nonsending) func performLate(
        _ action: ContentAction
    ) async throws(HostError) -> WidgetState {
        try await send(.acted(action))
        return state
    }

    /// Informs the widget that it is no longer shown. When the widget has answered, this function ends the widget.
    /// - Returns: how the widget ended.
    @discardableResult
    public nonisolated(nonsending) func disappear() async -> Termination {
        // An error is not thrown, because the widget ends in any case, and its end is returned.
        _ = try? await send(.didDisappear)
        return await session.complete()
    }

    @discardableResult
    private nonisolated(nonsending) func send(_ event: WidgetEvent) async throws(HostError) -> WidgetAnswer {
        let answer = try await session.callWatched(event)
        board.apply(answer.change, isAsked: true)
        return answer
    }
}

/// The state of a widget. Answers and notices of the extension change this state.
final class WidgetBoard: Sendable {
    private struct Contents {
        var state = WidgetState()
        var newest: UInt64 = 0
    }

    private let contents = Mutex(Contents())
    let changes: AsyncStream<WidgetState>
    private let continuation: AsyncStream<WidgetState>.Continuation

    init() {
        (changes, continuation) = AsyncStream.makeStream(of: WidgetState.self, bufferingPolicy: .bufferingNewest(1))
    }

    var state: WidgetState { contents.withLock { $0.state } }

    /// - Parameter isAsked: whether a function of the session returns the new state. If so, `changes` omits the
    ///   state.
    func apply(_ change: WidgetChange, isAsked: Bool) {
        let state = contents.withLock { contents in
            contents.state.apply(change, after: &contents.newest)
            return contents.state
        }
        if !isAsked { continuation.yield(state) }
    }

    /// The widget has ended, so no change follows.
    func close() { continuation.finish() }
}
