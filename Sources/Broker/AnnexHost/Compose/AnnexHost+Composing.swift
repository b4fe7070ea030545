public import AnnexChannel
public import AnnexModel

extension AnnexHost {
    /// Launches an extension that the user picked in a share sheet, sends it the items, and opens its compose sheet.
    ///
    /// It works for every extension that answers requests of items. If the extension has no sheet, `ComposeSession.hasSheet`
    /// is false, and `ComposeSession.answer()` waits for its result.
    ///
    /// - Parameters:
    ///   - items: the extension gets them as `ExtensionContext.inputItems`.
    ///   - identifier: the extension's bundle identifier.
    ///   - point: the extension point that the host expects; nil for any point.
    ///   - text: the text that stands in the sheet when it opens.
    ///   - acceptance: the descriptors that the answer may carry besides text and small values; none by default.
    ///   - service: serves the extension's other requests and notices.
    /// - Throws: as `begin` does; `HostError.cancelled` or `.ended` if the extension answers so before its sheet is open.
    public nonisolated(nonsending) func compose(
        _ items: [ExtensionItem], with identifier: String, as point: String? = nil, text: String = "",
        accepting acceptance: Acceptance = .nothing, serving service: HostService = HostService()
    ) async throws(HostError) -> ComposeSession {
        guard text.utf8.count <= ComposeLimits.text else { throw ComposeSession.textIsTooLong }
        let board = ComposeBoard(text: text)
        var service = service
        service.handle(ComposeChange.self) { board.apply($0, isAsked: false) }
        let session = try await begin(identifier, as: point, serving: service)
        let opening = Task { () -> Result<ComposeAnswer, HostError> in
            do throws(HostError) {
                return .success(try await session.call(ComposeEvent.opened(text: text)))
            } catch {
                return .failure(error)
            }
        }
        let request = Task { () -> Result<[ExtensionItem], HostError> in
            let result: Result<[ExtensionItem], HostError>
            do throws(HostError) {
                result = .success(try await session.request(items, accepting: acceptance))
            } catch {
                result = .failure(error)
            }
            board.close()
            // A request that ends early leaves the opening without an answer.
            opening.cancel()
            return result
        }
        let opened = await withTaskCancellationHandler {
            await opening.value
        } onCancel: {
            request.cancel()
            opening.cancel()
        }
        let hasSheet: Bool
        switch opened {
        case .success(let answer):
            board.apply(answer.change, isAsked: true)
            hasSheet = true
        case .failure(.unknownMethod): hasSheet = false
        case .failure(let error):
            guard board.isAnswered else {
                request.cancel()
                throw error
            }
            _ = try await request.value.get()
            hasSheet = false
        }
        return ComposeSession(session, board: board, hasSheet: hasSheet, request: request)
    }
}
