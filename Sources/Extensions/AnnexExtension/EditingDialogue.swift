internal import AnnexChannel
internal import AnnexModel

/// Serves a `PhotoEditingExtension`. This object passes the request with the picture, and all events of the user's
/// editing, to one editor.
final class EditingDialogue {
    private let makeEditor: () -> any PhotoEditingExtension
    private let life: ExtensionLife
    /// The editor of the dialogue that the host opened; nil if no dialogue is open.
    private var editor: (any PhotoEditingExtension)?
    /// Whether the editor continues the earlier edit. The editor decided this when the dialogue was opened, and the
    /// host knows the decision. So the editor is not asked again.
    private var continues = false
    /// The number of the last answer to an event.
    private var answers: UInt64 = 0
    /// The request with the picture. The answer to the request ends the dialogue.
    private var context: ExtensionContext?
    /// The response to `started`, if this event arrived before the request with the picture.
    private var early: DeferredAnswer<EditingAnswer>?

    init(life: ExtensionLife, makeEditor: @escaping () -> any PhotoEditingExtension) {
        self.life = life
        self.makeEditor = makeEditor
    }

    func register(in service: inout ChannelService) {
        service.serveLater(EditingEvent.self) { [self] event, response in receive(event, answering: response) }
    }

    /// Called when the request with the picture has arrived.
    /// - Returns: false if the host opened no dialogue for the request. In this case a principal object edits the
    ///   picture at once.
    func begin(_ context: ExtensionContext) -> Bool {
        guard let editor, self.context == nil else { return false }
        context.onAnswer = { [weak self] in self?.end() }
        self.context = context
        do {
            try editor.startContentEditing(with: ContentEditingInput(in: context, canHandle: { _ in continues }))
        } catch {
            context.cancelRequest(with: error)
        }
        early.take()?.send(answer())
        return true
    }

    private func receive(_ event: EditingEvent, answering response: consuming PendingResponse<EditingAnswer>) {
        if case .opened(let earlier) = event { return open(earlier, answering: response) }
        if case .started = event, editor != nil, context == nil, early == nil {
            early = DeferredAnswer(response)
            return
        }
        try? response.send(answer(event))
    }

    private func open(_ earlier: AdjustmentData?, answering response: consuming PendingResponse<EditingAnswer>) {
        // A host edits one picture in each session.
        guard context == nil else {
            try? response.fail(HandlerFailure(code: 1, text: "a picture is being edited already"))
            return
        }
        end()
        let editor = makeEditor()
        self.editor = editor
        life.add(editor)
        continues = earlier.map(editor.canHandle) ?? false
        try? response.send(EditingAnswer(isAffirmed: continues))
    }

    private func answer(_ event: EditingEvent) -> EditingAnswer {
        // If there is no editor or context, the answer to the request is already being sent. So this event has no
        // effect any more.
        guard let editor, let context else { return answer() }
        switch event {
        case .opened, .started: break
        case .acted(let action): editor.perform(action)
        case .finished: context.completeRequest { [try editor.finishContentEditing().item] }
        case .leaving: return answer(isAffirmed: editor.shouldShowCancelConfirmation)
        case .cancelled:
            editor.cancelContentEditing()
            context.cancelRequest(with: ExtensionError.userCancelled)
        }
        return answer()
    }

    /// An answer with the current view, which the host shows.
    private func answer(isAffirmed: Bool = false) -> EditingAnswer {
        answers += 1
        let view = editor?.view.flatMap { context?.viewToShow($0) }
        // If the view exceeded a limit, the line above has answered the request with an error. So `isOpen` is read
        // after that line.
        let isOpen = context?.isOpen ?? false
        return EditingAnswer(number: answers, isAffirmed: isAffirmed, isOpen: isOpen, view: view)
    }

    private func end() {
        if let editor { life.remove(editor) }
        (editor, context) = (nil, nil)
    }
}
