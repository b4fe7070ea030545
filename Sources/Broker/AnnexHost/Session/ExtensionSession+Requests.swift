internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
public import AnnexModel
internal import Synchronization

extension ExtensionSession {
    /// Sends items and returns the items that the extension answers with. Cancelling the task informs the extension
    /// that its answer is not needed any more.
    ///
    /// - Parameters:
    ///   - items: the extension gets them as `ExtensionContext.inputItems`.
    ///   - acceptance: the descriptors that the answer may carry besides text and small values; none by default.
    ///   - timeout: how long to wait at most; nil for the extension point's limit.
    /// - Throws: `HostError.cancelled` with the extension's own error. `.ended` if the extension ended before it
    ///   answered. `.unknownMethod` if it serves no items. Also `.timedOut`, `.taskCancelled` and `.invalidRequest`.
    public nonisolated(nonsending) func request(
        _ items: [ExtensionItem], accepting acceptance: Acceptance = .nothing, timeout: Duration? = nil
    ) async throws(HostError) -> [ExtensionItem] {
        let over = observer?.requesting()
        do throws(HostError) {
            let answer = try await answer(to: items, acceptance, timeout)
            over?(nil)
            return answer
        } catch {
            over?(error)
            throw error
        }
    }

    /// The same for code without Swift concurrency: blocks the thread.
    public func requestAndWait(
        _ items: [ExtensionItem], accepting acceptance: Acceptance = .nothing, timeout: Duration? = nil
    ) throws(HostError) -> [ExtensionItem] {
        let over = observer?.requesting()
        do throws(HostError) {
            let answer = try waitForAnswer(to: items, acceptance, timeout)
            over?(nil)
            return answer
        } catch {
            over?(error)
            throw error
        }
    }

    private nonisolated(nonsending) func answer(
        to items: [ExtensionItem], _ acceptance: Acceptance, _ timeout: Duration?
    ) async throws(HostError) -> [ExtensionItem] {
        let request = try Self.encode(items, acceptance)
        let number = tellOfRequest()
        let answer: Answer
        do throws(CallFailure) {
            answer = read(try await channel.call(request, timeout: timeout))
        } catch {
            answer = Answer(error)
        }
        link.tell { $0.requestEnded(number) }
        switch answer {
        case .items(let items): return items
        case .error(let error): throw error
        case .end:
            // A failed call does not prove that the extension has ended. After this report the broker ends it in
            // bounded time.
            link.tell { $0.channelClosed() }
            throw .ended(await link.ended.value())
        }
    }

    private func waitForAnswer(
        to items: [ExtensionItem], _ acceptance: Acceptance, _ timeout: Duration?
    ) throws(HostError) -> [ExtensionItem] {
        let request = try Self.encode(items, acceptance)
        let number = tellOfRequest()
        let answer: Answer
        do throws(CallFailure) {
            answer = read(try channel.callAndWait(request, timeout: timeout))
        } catch {
            answer = Answer(error)
        }
        link.tell { $0.requestEnded(number) }
        switch answer {
        case .items(let items): return items
        case .error(let error): throw error
        case .end:
            link.tell { $0.channelClosed() }
            throw endAndWait()
        }
    }

    /// The broker applies the time limit to each request separately. It is not sent to the extension, which would use
    /// all of it.
    private func tellOfRequest() -> UInt64 {
        let number = requests.add(1, ordering: .relaxed).newValue
        link.tell { $0.requestBegan(number) }
        return number
    }

    /// An answer that cannot be decoded breaks the protocol, and the broker ends the extension for it.
    private func read(_ reply: Reply) -> Answer {
        guard let answer = Answer(reply) else {
            let text = "an answer of \(reply.payload.count) bytes that cannot be read"
            link.tell { $0.violated(ProtocolViolation(text)) }
            return .end
        }
        return answer
    }
}
