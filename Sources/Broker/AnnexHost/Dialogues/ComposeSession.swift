internal import AnnexChannel
public import AnnexModel

/// A dialogue with an extension that was picked in a share sheet. The extension gets the shared items. The user may
/// fill in the extension's compose sheet before the extension answers.
///
/// ```swift
/// let dialogue = try await host.compose(items, with: "com.example.pictures.post", text: "Holiday")
/// while dialogue.hasSheet, !dialogue.isAnswered {
///     draw(dialogue.state)
///     switch await nextInput() {
///     case .typed(let text): try await dialogue.edit(text)
///     case .tapped(let line):
///         if let options = try await dialogue.tap(line) { try await dialogue.choose(pick(from: options), of: line) }
///     case .post: return try await dialogue.post()
///     case .cancel:
///         await dialogue.cancel()
///         return []
///     }
/// }
/// return try await dialogue.answer()
/// ```
///
/// The extension is untrusted. It may answer or end at any time, also while the user still types. Releasing the last
/// reference to this object ends the extension.
public final class ComposeSession: Sendable {
    /// The extension behind the sheet.
    public var session: ExtensionSession { dialogue.session }
    private let dialogue: Dialogue
    private let board: ComposeBoard

    init(_ dialogue: Dialogue, board: ComposeBoard) {
        self.dialogue = dialogue
        self.board = board
    }

    /// Opens the sheet if the extension has a sheet and has not answered yet.
    nonisolated(nonsending) func open(with text: String) async throws(HostError) {
        do throws(HostError) {
            if try await send(.opened(text: text)) != nil { board.open() }
        } catch {
            guard case .unknownMethod = error else { throw error }
        }
    }

    /// Whether the extension has a compose sheet or its own view. If it has neither, it works without the user, and
    /// `answer()` waits for the result.
    public var hasSheet: Bool { board.hasSheet }

    /// The state to show now.
    public var state: ComposeState { board.state }

    /// A stream of the states after changes that the extension made by itself, for example because a picture has
    /// loaded. The stream omits the states that a function of this object returns. Only the newest state is kept for a
    /// slow reader. The stream ends with the dialogue. Only one reader may read this stream.
    public var changes: AsyncStream<ComposeState> { board.changes }

    /// Whether the extension has answered, failed or ended. If so, `answer()` returns at once.
    public var isAnswered: Bool { dialogue.isAnswered }

    /// Informs the extension that the sheet has appeared, so that the extension begins to load the items.
    @discardableResult
    public nonisolated(nonsending) func presentationAnimationDidFinish() async throws(HostError) -> ComposeState {
        try await send(.presented)
        return state
    }

    /// Passes the user's text on to the extension, usually after each keystroke.
    /// - Parameter text: at most `ComposeLimits.text` bytes.
    /// - Returns: the state with the extension's verdict on the text.
    @discardableResult
    public nonisolated(nonsending) func edit(_ text: String) async throws(HostError) -> ComposeState {
        guard text.utf8.count <= ComposeLimits.text else { throw Self.textIsTooLong }
        board.replaceText(with: text)
        try await send(.edited(text: text))
        return state
    }

    /// Asks the extension for the options of a setting.
    /// - Parameter item: the place of the setting in `ComposeState.configurationItems`.
    /// - Returns: the options; nil if the user cannot change the setting.
    public nonisolated(nonsending) func tap(_ item: Int) async throws(HostError) -> ComposeOptions? {
        guard item >= 0 else { return nil }
        return try await send(.tapped(item: UInt32(clamping: item)))?.options
    }

    /// Sets a setting to one of the options that `tap(_:)` returned.
    /// - Parameters:
    ///   - option: the place of the option in the list.
    ///   - item: the place of the setting in `ComposeState.configurationItems`.
    @discardableResult
    public nonisolated(nonsending) func choose(_ option: Int, of item: Int) async throws(HostError) -> ComposeState {
        guard option >= 0, item >= 0 else { throw .invalidRequest("options and settings count from 0") }
        try await send(.chose(option: UInt32(clamping: option), item: UInt32(clamping: item)))
        return state
    }

    /// Passes on the user's action in the extension's own view.
    @discardableResult
    public nonisolated(nonsending) func perform(_ action: ContentAction) async throws(HostError) -> ComposeState {
        try await send(.acted(action))
        return state
    }

    /// Posts the sheet, and waits for the extension's answer. Cancelling the task cancels the request.
    /// - Returns: the items of the answer.
    /// - Throws: `HostError.invalidRequest` if the extension does not accept the text, or if the post could not be
    ///   sent. In these cases, the sheet stays open. Also the errors of `answer()`. Every other error ends the session.
    public nonisolated(nonsending) func post() async throws(HostError) -> [ExtensionItem] {
        guard hasSheet else { return try await answer() }
        let reply = try await dialogue.conclude(ComposeEvent.posted)
        if let reply { board.apply(reply.change, isAsked: true) }
        guard isAnswered || reply?.change.isContentValid ?? true else {
            throw .invalidRequest("the extension does not accept the text of the sheet")
        }
        return try await answer()
    }

    /// Waits for the extension's answer, and ends the session. Cancelling the task cancels the request.
    /// - Throws: `HostError.cancelled` with the extension's own error, and the other cases of a request.
    public nonisolated(nonsending) func answer() async throws(HostError) -> [ExtensionItem] {
        try await dialogue.answer()
    }

    static var textIsTooLong: HostError { .invalidRequest("the text has more than \(ComposeLimits.text) bytes") }

    /// Gives the sheet up, and ends the session. The extension has one second to react.
    @discardableResult
    public nonisolated(nonsending) func cancel() async -> Termination {
        await dialogue.cancel(informingBy: hasSheet ? ComposeEvent.cancelled : nil)
    }

    /// - Returns: nil if the extension has answered the dialogue's request instead of the event. In that case, the
    ///   sheet is closed.
    @discardableResult
    private nonisolated(nonsending) func send(_ event: ComposeEvent) async throws(HostError) -> ComposeAnswer? {
        let answer = try await dialogue.send(event)
        if let answer { board.apply(answer.change, isAsked: true) }
        return answer
    }
}
