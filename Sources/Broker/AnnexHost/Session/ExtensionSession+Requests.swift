internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
public import AnnexModel
internal import Synchronization

extension ExtensionSession {
    /// Sends items and returns the extension's. Cancelling the task tells the extension that nobody waits any more.
    ///
    /// - Parameters:
    ///   - items: what the extension gets as `ExtensionContext.inputItems`.
    ///   - acceptance: what the answer may carry besides text and small values; nothing unless said.
    ///   - timeout: how long to wait at most; nil: as long as the extension point allows.
    /// - Throws: `HostError.cancelled` with the extension's own error, `.ended` with the reason when it ended before it
    ///   answered, `.timedOut`, `.taskCancelled`, `.unknownMethod` if it serves no items, `.invalidRequest`.
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
            // Bounds the wait: that no more can be said to it proves not that it has ended.
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

    /// The broker holds the time limit, each request's by itself. The extension hears of none: it would use it up.
    private func tellOfRequest() -> UInt64 {
        let number = requests.add(1, ordering: .relaxed).newValue
        link.tell { $0.requestBegan(number) }
        return number
    }

    /// An answer that no reader of ours understands is a breach of the protocol, and the extension's end.
    private func read(_ reply: Reply) -> Answer {
        guard let answer = Answer(reply) else {
            let text = "an answer of \(reply.payload.count) bytes that cannot be read"
            link.tell { $0.violated(ProtocolViolation(text)) }
            return .end
        }
        return answer
    }
}
