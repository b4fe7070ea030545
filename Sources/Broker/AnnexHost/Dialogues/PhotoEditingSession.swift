internal import AnnexChannel
public import AnnexModel
internal import Synchronization

/// A dialogue with a photo-editing extension. The extension has started to edit a picture and shows its view. When the
/// user is done, the extension answers with the edited picture.
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
/// The extension is untrusted. It may answer or end at any time, also while the user still works. Releasing the last
/// reference to this object ends the extension.
public final class PhotoEditingSession: Sendable {
    /// The extension behind the view.
    public var session: ExtensionSession { dialogue.session }
    /// Whether the extension continues the earlier edit. If so, the host sent the original picture and the adjustment
    /// data; otherwise, the host sent the picture with all edits.
    public let continuesEdit: Bool
    /// Whether the extension takes part in a dialogue. If not, the extension works without the user, and `finish()`
    /// waits for the result.
    public let isInteractive: Bool
    private let dialogue: Dialogue
    private let shown = Mutex(Shown())

    /// The newest view, and its number. If events are sent at the same time, their answers may be read in a different
    /// order. The number shows which view is the newest.
    private struct Shown {
        var view: ContentTree?
        var number: UInt64 = 0
    }

    init(_ dialogue: Dialogue, continuesEdit: Bool, isInteractive: Bool) {
        self.dialogue = dialogue
        self.continuesEdit = continuesEdit
        self.isInteractive = isInteractive
    }

    /// Waits until the extension has read the picture, or has answered with an error.
    nonisolated(nonsending) func start() async throws(HostError) {
        guard isInteractive, try await send(.started)?.isOpen == false else { return }
        // The extension has already answered. Only an error counts as a failure of the start.
        _ = try await dialogue.outcome().get()
    }

    /// The extension's current view; nil if the extension has no view.
    public var view: ContentTree? { shown.withLock { $0.view } }

    /// Whether the extension has answered, failed or ended. If so, `finish()` returns at once.
    public var isAnswered: Bool { dialogue.isAnswered }

    /// Passes on the user's action in the extension's view.
    /// - Parameter action: the button that the user pressed, or the option that the user chose.
    /// - Returns: the view after the action.
    /// - Throws: `HostError.ended` and the other errors of a request.
    @discardableResult
    public nonisolated(nonsending) func perform(_ action: ContentAction) async throws(HostError) -> ContentTree? {
        if isInteractive { try await send(.acted(action)) }
        return view
    }

    /// Waits for the edited picture, and ends the session. Cancelling the task cancels the edit, and also ends the
    /// session.
    /// - Throws: `HostError.cancelled` with the extension's own error, or with `ExtensionError.noEditedPicture`. Also
    ///   the other errors of a request.
    public nonisolated(nonsending) func finish() async throws(HostError) -> ContentEditingOutput {
        if isInteractive { _ = try await dialogue.conclude(EditingEvent.finished) }
        guard let output = ContentEditingOutput(try await dialogue.answer()) else {
            throw .cancelled(.noEditedPicture)
        }
        return output
    }

    /// Asks the extension whether `cancel()` would lose the user's work. If so, let the user confirm before you call
    /// `cancel()`.
    /// - Returns: false if the extension takes part in no dialogue, or has already answered.
    /// - Throws: `HostError.ended` and the other errors of a request.
    public nonisolated(nonsending) func shouldShowCancelConfirmation() async throws(HostError) -> Bool {
        guard isInteractive else { return false }
        return try await dialogue.send(EditingEvent.leaving)?.isAffirmed ?? false
    }

    /// Gives up the edit, and ends the session. The extension has one second to react.
    @discardableResult
    public nonisolated(nonsending) func cancel() async -> Termination {
        await dialogue.cancel(informingBy: isInteractive ? EditingEvent.cancelled : nil)
    }

    @discardableResult
    private nonisolated(nonsending) func send(_ event: EditingEvent) async throws(HostError) -> EditingAnswer? {
        guard let answer = try await dialogue.send(event) else { return nil }
        shown.withLock { shown in
            if answer.number >= shown.number { shown = Shown(view: answer.tree, number: answer.number) }
        }
        return answer
    }
}
