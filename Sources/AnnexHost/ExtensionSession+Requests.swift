internal import AnnexChannel
internal import AnnexLinux
public import AnnexModel

extension ExtensionSession {
    /// Sends items and returns the extension's. Cancelling the task tells the extension that nobody waits any more.
    ///
    /// - Parameters:
    ///   - items: what the extension gets as `ExtensionContext.inputItems`.
    ///   - acceptance: what the answer may carry besides text and small values; nothing unless said.
    ///   - timeout: how long to wait at most; nil: as long as the extension point allows.
    /// - Throws: `HostError.cancelled` with the extension's own error, `.ended` with the reason when it ended before it
    ///   answered, `.timedOut`, `.invalidRequest`.
    public func request(
        _ items: [ExtensionItem], accepting acceptance: Acceptance = .nothing, timeout: Duration? = nil
    ) async throws(HostError) -> [ExtensionItem] {
        let request = try Self.encode(items, acceptance)
        link.tell { $0.requestBegan() }
        do throws(CallFailure) {
            let reply = try await endpoint.call(request, timeout: timeout)
            link.tell { $0.requestEnded() }
            return try Self.decode(reply)
        } catch {
            link.tell { $0.requestEnded() }
            throw Self.isEnd(error) ? .ended(await link.ended.value()) : Self.translate(error)
        }
    }

    /// The same for code without Swift concurrency: blocks the thread.
    public func requestAndWait(
        _ items: [ExtensionItem], accepting acceptance: Acceptance = .nothing, timeout: Duration? = nil
    ) throws(HostError) -> [ExtensionItem] {
        let request = try Self.encode(items, acceptance)
        link.tell { $0.requestBegan() }
        do throws(CallFailure) {
            let reply = try endpoint.call(request, timeout: timeout)
            link.tell { $0.requestEnded() }
            return try Self.decode(reply)
        } catch {
            link.tell { $0.requestEnded() }
            throw Self.isEnd(error) ? .ended(link.ended.wait()) : Self.translate(error)
        }
    }
}
