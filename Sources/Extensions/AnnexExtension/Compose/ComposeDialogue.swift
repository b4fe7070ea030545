internal import AnnexChannel
internal import AnnexModel

/// Serves a `ShareExtension`: brings the request with the items and the events of the sheet together.
final class ComposeDialogue {
    private let principal: any ShareExtension
    private var sheet: ComposeSheet?
    /// The opening that came before the request with the items.
    private var early: (text: String, answer: DeferredAnswer)?

    init(_ principal: any ShareExtension) {
        self.principal = principal
    }

    func register(in service: inout ChannelService) {
        service.serve(ComposeEvent.self, later: { [self] event, response in receive(event, answering: response) })
    }

    /// The request with the items has come. Its answer closes the sheet.
    func begin(_ context: ExtensionContext) {
        // A host shows one sheet for each session.
        guard sheet?.context.isOpen != true else {
            return context.cancelRequest(with: ExtensionError(.thrown, text: "A sheet is open already."))
        }
        let opening = early.take()
        let sheet = ComposeSheet(context, text: opening?.text ?? "", principal: principal)
        self.sheet = sheet
        opening?.answer.send(ComposeAnswer(sheet.open()))
    }

    private func receive(_ event: ComposeEvent, answering response: consuming PendingResponse<ComposeAnswer>) {
        guard let sheet, sheet.context.isOpen else {
            if case .opened(let text) = event, early == nil {
                early = (text, DeferredAnswer(response))
                return
            }
            // The answer to the request is on its way, and the event came too late to matter.
            try? response.send(ComposeAnswer(ComposeChange()))
            return
        }
        try? response.send(answer(event, in: sheet))
    }

    private func answer(_ event: ComposeEvent, in sheet: ComposeSheet) -> ComposeAnswer {
        switch event {
        case .opened(let text):
            _ = sheet.edit(text)
            return ComposeAnswer(sheet.open())
        case .presented: return ComposeAnswer(sheet.present())
        case .edited(let text): return ComposeAnswer(sheet.edit(text))
        case .tapped(let item): return ComposeAnswer(sheet.change(), options: sheet.options(of: item))
        case .chose(let option, let item): return ComposeAnswer(sheet.choose(option, of: item))
        case .acted(let action): return ComposeAnswer(sheet.act(action))
        case .posted: return ComposeAnswer(sheet.post())
        case .cancelled: return ComposeAnswer(sheet.cancel())
        }
    }
}

/// Holds an answer that is sent later, because a noncopyable value cannot be a part of a tuple.
private final class DeferredAnswer {
    private var response: PendingResponse<ComposeAnswer>?

    init(_ response: consuming PendingResponse<ComposeAnswer>) {
        self.response = consume response
    }

    /// If the host is gone, the answer has no recipient.
    func send(_ answer: ComposeAnswer) {
        try? response.take()?.send(answer)
    }
}
