internal import AnnexChannel
internal import AnnexModel

/// A sheet that a host shows for a request with items. The answer to the request closes the sheet.
protocol DialogueSheet: AnyObject {
    /// The request with the items.
    var context: ExtensionContext { get }
    /// Called when the sheet has appeared.
    func presentationAnimationDidFinish() async
    /// Handles an event in the sheet. For the event `presented`, the answer is only the present state.
    func answer(_ event: ComposeEvent) -> ComposeAnswer
}

/// Serves an extension that has a sheet. This object passes the request with the items, and all events of the sheet,
/// to one sheet object.
final class ComposeDialogue {
    private let makeSheet: (ExtensionContext) -> any DialogueSheet
    private var sheet: (any DialogueSheet)?
    /// The event `opened` and its open response, if the event arrived before the request with the items.
    private var early: (event: ComposeEvent, answer: DeferredAnswer<ComposeAnswer>)?

    /// Whether the task that loads the attachments of the sheet was started.
    private var isPresented = false
    private let lookout: ExtensionLookout

    /// - Returns: nil if the extension has no sheet.
    init?(_ principal: any SessionExtension, lookout: ExtensionLookout) {
        self.lookout = lookout
        switch principal {
        case let sharing as any ShareExtension: makeSheet = { ComposeSheet($0, principal: sharing) }
        case let acting as any ActionExtension: makeSheet = { ActionSheet($0, principal: acting) }
        default: return nil
        }
    }

    func register(in service: inout ChannelService) {
        service.serveLater(ComposeEvent.self) { [self] event, response in receive(event, answering: response) }
    }

    /// Called when the request with the items has arrived. The answer to this request closes the sheet.
    /// - Returns: always true, because every request belongs to the dialogue.
    func begin(_ context: ExtensionContext) -> Bool {
        // A host shows one sheet for each session.
        guard sheet?.context.isOpen != true else {
            context.cancelRequest(with: ExtensionError(.thrown, text: "A sheet is open already."))
            return true
        }
        let sheet = makeSheet(context)
        self.sheet = sheet
        isPresented = false
        if let opening = early.take() { opening.answer.send(sheet.answer(opening.event)) }
        return true
    }

    private func receive(_ event: ComposeEvent, answering response: consuming PendingResponse<ComposeAnswer>) {
        guard let sheet, sheet.context.isOpen else {
            if case .opened = event, early == nil {
                early = (event, DeferredAnswer(response))
                return
            }
            // The answer to the request is already being sent, so this event has no effect any more.
            try? response.send(ComposeAnswer(ComposeChange()))
            return
        }
        guard case .presented = event else {
            try? response.send(sheet.answer(event))
            return
        }
        present(sheet, answering: DeferredAnswer(response))
    }

    /// Starts the task that loads the attachments. The host gets its answer when this task awaits for the first time,
    /// so that it can report further events while the task loads.
    private func present(_ sheet: any DialogueSheet, answering answer: DeferredAnswer<ComposeAnswer>) {
        if !isPresented {
            isPresented = true
            sheet.context.startTask { await sheet.presentationAnimationDidFinish() }
        }
        lookout.performSoon { answer.send(sheet.answer(.presented)) }
    }
}
