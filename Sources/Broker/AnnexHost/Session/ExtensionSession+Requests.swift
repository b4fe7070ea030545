internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
public import AnnexModel
internal import Synchronization

extension ExtensionSession {
    /// Sends items and returns the items that the extension answers with. If the task is cancelled, the extension is
    /// informed that its answer is no longer needed.
    ///
    /// - Parameters:
    ///   - items: the extension gets them as `ExtensionContext.inputItems`.
    ///   - acceptance: the descriptors that the answer may contain in addition to text and small values. The default
    ///     allows none.
    ///   - timeout: the longest wait; nil for the extension point's limit.
    ///   - progress: called with each of the extension's reports on its progress, in order and before this function
    ///     returns. The closure runs on the event loop's thread and must not block. If `progress` is nil, the extension
    ///     sends no reports.
    /// - Throws: `HostError.cancelled` with the extension's own error. `.ended` if the extension ended before it
    ///   answered. `.unknownMethod` if the extension serves no items. Also `.timedOut`, `.taskCancelled` and
    ///   `.invalidRequest`.
    public nonisolated(nonsending) func request(
        _ items: [ExtensionItem], accepting acceptance: Acceptance = .nothing, timeout: Duration? = nil,
        progress: ProgressHandler? = nil
    ) async throws(HostError) -> [ExtensionItem] {
        let over = observer?.requesting()
        do throws(HostError) {
            let answer = try await answer(to: items, accepting: acceptance, timeout: timeout, progress: progress)
            over?(nil)
            return answer
        } catch {
            over?(error)
            throw error
        }
    }

    /// Does the same as `request`, for code without Swift concurrency. The call blocks the thread.
    public func requestAndWait(
        _ items: [ExtensionItem], accepting acceptance: Acceptance = .nothing, timeout: Duration? = nil,
        progress: ProgressHandler? = nil
    ) throws(HostError) -> [ExtensionItem] {
        let over = observer?.requesting()
        do throws(HostError) {
            let answer = try waitForAnswer(to: items, accepting: acceptance, timeout: timeout, progress: progress)
            over?(nil)
            return answer
        } catch {
            over?(error)
            throw error
        }
    }

    private nonisolated(nonsending) func answer(
        to items: [ExtensionItem], accepting acceptance: Acceptance, timeout: Duration?, progress: ProgressHandler?
    ) async throws(HostError) -> [ExtensionItem] {
        let encoded = try begin(items, accepting: acceptance, progress: progress)
        let number = encoded.number
        startLimit(of: number)
        defer { endLimit(of: number) }
        return try await answer(to: encoded, timeout: timeout)
    }

    private nonisolated(nonsending) func answer(
        to encoded: consuming EncodedRequest, timeout: Duration?
    ) async throws(HostError) -> [ExtensionItem] {
        let (number, offers) = (encoded.number, encoded.offers)
        let answer: DecodedAnswer
        do throws(CallFailure) {
            answer = read(try await channel.call(encoded.request, timeout: timeout))
        } catch {
            answer = DecodedAnswer(error)
        }
        end(number, withdrawing: offers)
        switch answer {
        case .items(let items): return items
        case .error(let error): throw error
        case .end:
            // A failed call does not prove that the extension has ended. After this report, the broker ends the
            // extension within a limited time.
            link.report { $0.channelClosed() }
            throw .ended(await link.ended.value())
        }
    }

    private func waitForAnswer(
        to items: [ExtensionItem], accepting acceptance: Acceptance, timeout: Duration?, progress: ProgressHandler?
    ) throws(HostError) -> [ExtensionItem] {
        let encoded = try begin(items, accepting: acceptance, progress: progress)
        let (number, offers) = (encoded.number, encoded.offers)
        startLimit(of: number)
        defer { endLimit(of: number) }
        let answer: DecodedAnswer
        do throws(CallFailure) {
            answer = read(try channel.callAndWait(encoded.request, timeout: timeout))
        } catch {
            answer = DecodedAnswer(error)
        }
        end(number, withdrawing: offers)
        switch answer {
        case .items(let items): return items
        case .error(let error): throw error
        case .end:
            link.report { $0.channelClosed() }
            throw endAndWait()
        }
    }

    /// Encodes a request. If the request has no number yet, it gets a new number.
    private func begin(
        _ items: [ExtensionItem], accepting acceptance: Acceptance, progress: ProgressHandler?, number: UInt64? = nil
    ) throws(HostError) -> EncodedRequest {
        let number = number ?? nextRequest()
        let encoded = try encode(items, accepting: acceptance, number: number, reportsProgress: progress != nil)
        link.progress.add(progress, for: number)
        return encoded
    }

    /// Withdraws the contents that a request offers, and ends the request's reports on progress.
    private func end(_ number: UInt64, withdrawing offers: [ContentsList.Offer]) {
        link.offers.withdraw(offers, on: channel)
        link.progress.remove(number)
    }

    /// Decodes an answer. An answer that cannot be decoded breaks the protocol, and the broker ends the extension for
    /// this violation.
    private func read(_ reply: Reply) -> DecodedAnswer {
        guard let answer = DecodedAnswer(reply) else {
            let text = "an answer of \(reply.payload.count) bytes that cannot be read"
            link.report { $0.violated(ProtocolViolation(text)) }
            return .end
        }
        noteAnswer()
        return answer
    }
}

// The request of a dialogue stays open while the user works, and the user may take any amount of time. So the time
// limit of this request starts only when `startLimit(of:)` is called.
extension ExtensionSession {
    /// A number for a request that is sent later.
    func nextRequest() -> UInt64 { requests.add(1, ordering: .relaxed).newValue }

    /// Sends items as `request` does, but without a time limit until `startLimit(of:)` is called.
    nonisolated(nonsending) func requestWithoutLimit(
        _ items: [ExtensionItem], accepting acceptance: Acceptance, number: UInt64
    ) async throws(HostError) -> [ExtensionItem] {
        let over = observer?.requesting()
        do throws(HostError) {
            let encoded = try begin(items, accepting: acceptance, progress: nil, number: number)
            let answer = try await answer(to: encoded, timeout: nil)
            over?(nil)
            return answer
        } catch {
            over?(error)
            throw error
        }
    }

    /// Sends an event of a dialogue. Unlike other calls, this call is reported to the broker, so that the broker's
    /// watchdog watches the extension.
    nonisolated(nonsending) func callWatched<Event: ChannelRequest>(
        _ event: Event
    ) async throws(HostError) -> Event.Response {
        let number = nextRequest()
        startLimit(of: number)
        defer { endLimit(of: number) }
        return try await call(event)
    }

    /// Reports a request to the broker, which applies the time limit to each request separately. The extension is not
    /// told the limit. Otherwise, a hostile extension could delay each answer until just before the limit.
    func startLimit(of number: UInt64) { link.report { $0.requestBegan(number) } }

    func endLimit(of number: UInt64) { link.report { $0.requestEnded(number) } }
}

extension ExtensionSession {
    /// Encodes a request. From now on until the request ends, the extension may load the request's contents on demand.
    private func encode(
        _ items: [ExtensionItem], accepting acceptance: Acceptance, number: UInt64, reportsProgress: Bool
    ) throws(HostError) -> EncodedRequest {
        var contents = link.offers.newList()
        let payload = try Self.encode(items, collecting: &contents, progress: reportsProgress ? number : 0)
        var descriptors = DescriptorList()
        for content in contents.contents { descriptors.append(try Self.handOver(content)) }
        link.offers.add(contents.offered, on: channel)
        return EncodedRequest(
            number: number,
            request: Request(
                method: RequestMessage.method, payload: payload, descriptors: descriptors,
                accepts: acceptance.allowance, mostReply: MessageLimits.standard.bytes),
            offers: contents.offered)
    }

    /// Encodes a list of items. If the list is too long for a message, it is put into sealed memory that is sent with
    /// the message.
    private static func encode(
        _ items: [ExtensionItem], collecting contents: inout ContentsList, progress number: UInt64
    ) throws(HostError) -> [UInt8] {
        let message = RequestMessage(items, collecting: &contents, progress: number)
        do {
            return try message.encoded()
        } catch {
            guard let paged = try? message.paged(collecting: &contents), let bytes = try? paged.encoded() else {
                throw .invalidRequest(
                    "\(error); a longer list has at most \(ItemPages.mostItems) items and \(ItemPages.mostBytes) bytes, "
                        + "and each item fits into a message")
            }
            return bytes
        }
    }

    private static func handOver(_ contents: ItemContents) throws(HostError) -> Descriptor {
        do {
            return try OutgoingContents(of: contents).descriptor.duplicate()
        } catch {
            throw .invalidRequest("an attachment cannot be read: \(error)")
        }
    }
}

/// An encoded request, and the contents that it offers on demand.
struct EncodedRequest: ~Copyable {
    /// The number that the broker and the extension use for the request.
    let number: UInt64
    let request: Request
    let offers: [ContentsList.Offer]
}

/// The descriptors that an answer may contain in addition to text and small values. An answer contains only descriptors
/// that its request accepted.
public struct Acceptance: Sendable, Hashable {
    /// The most pieces of sealed memory in one answer.
    public let count: Int
    /// The most bytes in all pieces together.
    public let bytes: UInt64

    /// Text and small values only. The kernel does not let the extension send descriptors.
    public static let nothing = Acceptance(count: 0, bytes: 0)

    /// At most `count` pieces of sealed memory, with at most `bytes` bytes in total. No process can change sealed
    /// memory. `count` is at most 16.
    public static func sealedMemory(count: Int, bytes: Int) -> Acceptance {
        Acceptance(count: max(0, min(count, 16)), bytes: UInt64(max(0, bytes)))
    }

    private init(count: Int, bytes: UInt64) {
        self.count = count
        self.bytes = bytes
    }

    var allowance: DescriptorAllowance { DescriptorAllowance(pieces: count, bytes: bytes) }
}

/// The outcome of a request.
enum DecodedAnswer: Sendable {
    case items([ExtensionItem])
    case error(HostError)
    /// The extension has ended or is ending. Its end tells the caller more than the failed call.
    case end

    /// Decodes an extension's answer. The result is nil if the answer is malformed. An error of this process, such as a
    /// lack of descriptors, does not count against the extension.
    init?(_ reply: Reply) {
        var contents: [ItemContents] = []
        do {
            for sealed in reply.sealed { contents.append(try ItemContents(sealed.descriptor.duplicate())) }
        } catch {
            self = .error(.invalidRequest("the contents of its answer cannot be received: \(error)"))
            return
        }
        do {
            switch try ReplyMessage(decoding: reply.payload).result(with: ContentsList(contents)) {
            case .success(let items): self = .items(items)
            case .failure(let error): self = .error(.cancelled(error))
            }
        } catch {
            return nil
        }
    }

    init(_ failure: CallFailure) {
        switch failure {
        case .ended, .violated: self = .end
        case .failed(HandlerFailure.unknownMethodCode, _): self = .error(.unknownMethod)
        case .failed(let code, let text):
            let isAnnexs = code >= HandlerFailure.firstReservedCode
            let domain = isAnnexs ? ExtensionError.annexDomain : ExtensionError.handlerDomain
            self = .error(.cancelled(ExtensionError(code: Int64(code), domain: domain, localizedDescription: text)))
        // Only the caller's task can cancel this call.
        case .cancelled: self = .error(.taskCancelled)
        case .deadlineExceeded: self = .error(.timedOut)
        default: self = .error(.invalidRequest("\(failure)"))
        }
    }
}
