public import AnnexChannel
public import AnnexModel

extension AnnexHost {
    /// Launches an extension that the user picked in a share sheet, sends the items to the extension, and opens its
    /// compose sheet.
    ///
    /// This function works with every extension that answers requests of items. If the extension has no sheet,
    /// `ComposeSession.hasSheet` is false, and `ComposeSession.answer()` waits for the extension's result.
    ///
    /// - Parameters:
    ///   - items: the items for the extension. It gets them as `ExtensionContext.inputItems`.
    ///   - identifier: the extension's bundle identifier.
    ///   - point: the extension point that the host expects; nil for any point.
    ///   - text: the text in the sheet when it opens.
    ///   - acceptance: the descriptors that the answer may contain in addition to text and small values. The default
    ///     allows none.
    ///   - service: serves the extension's other requests and notices.
    /// - Throws: the errors of `begin`, and `HostError.cancelled` or `.ended` if the extension fails or ends before its
    ///   sheet is open.
    public nonisolated(nonsending) func compose(
        _ items: [ExtensionItem], with identifier: String, as point: String? = nil, text: String = "",
        accepting acceptance: Acceptance = .nothing, serving service: HostService = HostService()
    ) async throws(HostError) -> ComposeSession {
        guard text.utf8.count <= ComposeLimits.text else { throw ComposeSession.textIsTooLong }
        let board = ComposeBoard(text: text)
        var service = service
        service.handle(ComposeChange.self) { board.apply($0, isAsked: false) }
        let session = try await begin(identifier, as: point, serving: service)
        let dialogue = ComposeSession(
            Dialogue(session, request: items, accepting: acceptance) { board.close() }, board: board)
        try await dialogue.open(with: text)
        return dialogue
    }
}
