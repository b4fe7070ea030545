internal import AnnexChannel
public import AnnexModel
internal import Synchronization

/// A dialogue with a photo-editing extension: it has started to edit a picture, shows its view, and answers with the edited
/// picture when the user is done.
///
/// ```swift
/// var picture = EditablePicture(shown)
/// (picture.original, picture.adjustmentData) = (original, earlierEdit)
/// let editing = try await host.edit(picture, with: "com.example.filters.editor")
/// while let action = await nextAction(in: editing.view) { try await editing.perform(action) }
/// let output = try await editing.finish()
/// try keep(output.renderedContent, output.adjustmentData)
/// ```
///
/// The extension is untrusted: it may answer or end at any time, also while the user still works. Releasing the last reference
/// ends the extension.
public final class PhotoEditingSession: Sendable {
    /// The extension behind the view.
    public var session: ExtensionSession { dialogue.session }
    /// Whether the extension continues the earlier edit. It got the original picture and the adjustment data then, else the
    /// picture with all edits.
    public let continuesEdit: Bool
    /// Whether the extension takes part in a dialogue. If not, it works without the user: `finish()` waits for the result.
    public let isInteractive: Bool
    private let dialogue: Dialogue
    private let shown = Mutex<ContentTree?>(nil)

    init(_ dialogue: Dialogue, continuesEdit: Bool, isInteractive: Bool) {
        self.dialogue = dialogue
        self.continuesEdit = continuesEdit
        self.isInteractive = isInteractive
    }

    /// The extension has read the picture, or answered with an error.
    nonisolated(nonsending) func start() async throws(HostError) {
        guard isInteractive, try await send(.started)?.isYes != true else { return }
        // The extension has answered already. Only an error is a failure of the start.
        try await dialogue.outcome()
    }

    /// The extension's view, to be drawn now; nil if it has none.
    public var view: ContentTree? { shown.withLock { $0 } }

    /// Whether the extension has answered, failed or ended. `finish()` then returns at once.
    public var isAnswered: Bool { dialogue.isAnswered }

    /// Passes on what the user did in the extension's view.
    /// - Returns: the view after it.
    @discardableResult
    public nonisolated(nonsending) func perform(_ action: ContentAction) async throws(HostError) -> ContentTree? {
        if isInteractive { try await send(.acted(action)) }
        return view
    }

    /// Waits for the edited picture, and ends the session. Cancelling the task cancels the edit.
    /// - Throws: `HostError.cancelled` with the extension's own error, or with `ExtensionError.noEditedPicture`. Also the other
    ///   errors of a request.
    public nonisolated(nonsending) func finish() async throws(HostError) -> ContentEditingOutput {
        if isInteractive { try await send(.finished) }
        guard let output = ContentEditingOutput(try await dialogue.answer()) else {
            throw .cancelled(.noEditedPicture)
        }
        return output
    }

    /// Asks whether the user would lose work by `cancel()`, and should confirm it.
    public nonisolated(nonsending) func shouldShowCancelConfirmation() async throws(HostError) -> Bool {
        guard isInteractive else { return false }
        return try await dialogue.send(EditingEvent.leaving)?.isYes ?? false
    }

    /// Gives the edit up, and ends the session. The extension gets a second to notice.
    @discardableResult
    public nonisolated(nonsending) func cancel() async -> Termination {
        await dialogue.cancel(informingBy: isInteractive ? EditingEvent.cancelled : nil)
    }

    @discardableResult
    private nonisolated(nonsending) func send(_ event: EditingEvent) async throws(HostError) -> EditingAnswer? {
        let answer = try await dialogue.send(event)
        if let answer { shown.withLock { $0 = answer.tree } }
        return answer
    }
}
