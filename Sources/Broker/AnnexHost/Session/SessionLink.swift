internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexModel
internal import Synchronization

/// Connects a session's three parties. These are the channel's endpoint, the broker's handle, and the waiting callers.
///
/// The extension may say hello or end before the broker has returned its handle. Reports that arrive before the handle
/// are kept and sent later.
final class SessionLink: Sendable {
    typealias Message = @Sendable (any ExtensionHandle) -> Void

    private enum State {
        case connecting([Message])
        case connected(any ExtensionHandle)
        case over
    }

    private let state = Mutex(State.connecting([]))
    /// SYNC: acquire-release: a caller that sees no ping in progress sends the next ping. One ping at a time is enough.
    private let isAsking = Atomic<Bool>(false)
    let ready = Milestone<Result<LaunchReport, EarlyEnd>>()
    let ended = Milestone<Termination>()
    /// The contents that the open requests offer on demand.
    let offers = ItemOffers()
    let progress = ProgressHandlers()
    /// SYNC: relaxed: whether the broker knows that the extension answered a request. One report is enough.
    private let hasAnswered = Atomic<Bool>(false)

    /// Sets the handle, after the broker has launched the extension.
    func connect(to handle: any ExtensionHandle) {
        let waiting = state.withLock { state in
            guard case .connecting(let messages) = state else { return [] as [Message] }
            state = .connected(handle)
            return messages
        }
        for message in waiting { message(handle) }
    }

    /// Reports something to the broker. A report without a handle waits for the handle. A report after the end is
    /// dropped.
    func report(_ message: @escaping Message) {
        let handle = state.withLock { state in
            switch state {
            case .connecting(let messages):
                state = .connecting(messages + [message])
                return nil as (any ExtensionHandle)?
            case .connected(let handle): return handle
            case .over: return nil
            }
        }
        if let handle { message(handle) }
    }

    /// Reports to the broker that the extension answered a request. Further calls have no effect.
    func noteAnswer() {
        guard !hasAnswered.load(ordering: .relaxed), !hasAnswered.exchange(true, ordering: .relaxed) else { return }
        report { $0.answered() }
    }

    /// Reports the extension's hello and its end to an observer, in addition to the callers.
    func report(to observer: any SessionObserver) {
        ready.whenReached { if case .success(let report) = $0 { observer.ready(report) } }
        ended.whenReached { observer.ended($0) }
    }

    /// Takes a parked extension into use. The result is false if the extension is ending or has ended.
    nonisolated(nonsending) func claim() async -> Bool { await handle?.askedClaim() ?? false }

    /// Does the same as `claim`, for code without Swift concurrency.
    func claimAndWait() -> Bool { handle?.claim() ?? false }

    private var handle: (any ExtensionHandle)? {
        state.withLock { state in
            if case .connected(let handle) = state { handle } else { nil }
        }
    }

    /// Handlers that pass every event of the channel to the broker, which decides whether the extension must end.
    var handlers: ChannelHandlers {
        var handlers = ChannelHandlers()
        handlers.onHello = { [weak self] _ in self?.report { $0.saidHello() } }
        handlers.onViolation = { [weak self] violation in self?.report { $0.violated(ProtocolViolation(violation)) } }
        handlers.onUnreadable = { [weak self] method, failure in
            let text = "a message of method \(method) that cannot be read: \(failure)"
            self?.report { $0.violated(ProtocolViolation(text)) }
        }
        handlers.onStreamWait = { [weak self] in self?.report($0) }
        handlers.onPeerClosed = { [weak self] in self?.report { $0.channelClosed() } }
        handlers.onEvent = { [weak self] event in
            switch event.method {
            case LifeEvent.activityBegan:
                self?.report { $0.activityBegan(String(decoding: event.payload.prefix(200), as: UTF8.self)) }
            case LifeEvent.activityEnded: self?.report { $0.activityEnded() }
            case ProgressMessage.method: self?.receiveProgress(event.payload)
            default: break
            }
        }
        return handlers
    }

    /// Installs a handler for the extension's requests. The handler itself serves loads of items, and passes other
    /// requests on to the host's own services.
    func serveItems(in handlers: inout ChannelHandlers) {
        handlers.onRequest = { [weak self, others = handlers.onRequest] request in
            if LoadMessage.methods.contains(request.method), let self {
                return offers.serve(request, violated: { violation in self.report { $0.violated(violation) } })
            }
            guard let others else {
                return request.fail(code: HandlerFailure.unknownMethodCode, text: "this host serves no calls")
            }
            others(request)
        }
    }

    private func receiveProgress(_ payload: [UInt8]) {
        do throws(DecodingFailure) {
            progress.receive(try ProgressMessage(decoding: payload))
        } catch {
            report { [text = "a report of progress that is not valid: \(error)"] in $0.violated(ProtocolViolation(text))
            }
        }
    }

    /// Reports a wait in a stream. The extension point's time limit and the watchdog apply to this wait as they apply
    /// to a request.
    private func report(_ waiting: StreamWaiting) {
        // This bit distinguishes the numbers of waits from the numbers of requests.
        let apart: UInt64 = 1 << 63
        switch waiting {
        case .began(let number): report { $0.requestBegan(apart | number) }
        case .ended(let number): report { $0.requestEnded(apart | number) }
        case .overstayed: report { $0.overstayed() }
        }
    }

    func receive(_ event: ExtensionEvent, endpoint: HostEndpoint) {
        switch event {
        case .ready(let report): ready.reach(.success(report))
        case .ping: ask(endpoint)
        case .memoryWarning: send(LifeEvent.memoryWarning, to: endpoint)
        case .goodbye: send(LifeEvent.goodbye, to: endpoint)
        case .endIsNear: send(LifeEvent.endIsNear, to: endpoint)
        case .ended(let told):
            let termination = told.counting(SessionStatistics(endpoint.counters))
            // The handle holds the event handler, which holds this link. Dropping the handle here breaks the cycle.
            state.withLock { $0 = .over }
            endpoint.end(with: "\(termination.reason.rawValue)")
            // The end is delivered last, after all messages that the extension sent before it.
            endpoint.runAfterHandlers { [ended, ready] in
                ended.reach(termination)
                ready.reach(.failure(EarlyEnd(termination: termination)))
            }
        }
    }

    /// Sends an event. If the channel is full because the extension reads nothing, the event is dropped. The broker
    /// ends such an extension when one of its time limits has passed.
    private func send(_ event: UInt16, to endpoint: HostEndpoint) {
        try? endpoint.sendAndWait(ChannelEvent(method: event), timeout: .zero)
    }

    private func ask(_ endpoint: HostEndpoint) {
        guard !isAsking.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let isSent = endpoint.ping { [weak self] isAnswered in
            self?.isAsking.store(false, ordering: .releasing)
            if isAnswered { self?.report { $0.gaveSign() } }
        }
        if !isSent { isAsking.store(false, ordering: .releasing) }
    }
}

/// An end before the extension was ready. This type exists because the failure of a `Result` must be an error.
struct EarlyEnd: Error {
    let termination: Termination
}

extension ProtocolViolation {
    fileprivate init(_ violation: ChannelViolation) {
        switch violation {
        // The policy sets these two budgets.
        case .messageBudget(.frames, _), .messageBudget(.control, _):
            self.init("\(violation); the limit `messages` of the extension point's policy allows more", isBudget: true)
        case .messageBudget: self.init("\(violation)", isBudget: true)
        default: self.init("\(violation)")
        }
    }
}

/// A host's parameters for a launch.
struct LaunchWish: Sendable {
    let identifier: String
    /// The extension point that the host expects; nil if the host accepts any point.
    let point: String?
    let timeLimit: Duration?
    /// The host's own name for the source of the session's requests; nil if the host names none.
    var origin: String?
    /// The host's answers to the extension's own requests.
    let hosted: HostService

    func checkOrigin() throws(BrokerError) {
        let most = ServiceWire.longestOrigin
        guard let count = origin?.utf8.count, count > most else { return }
        throw BrokerError(
            .invalidOrigin, what: "an origin has \(count) bytes, and may have at most \(most)", place: identifier,
            remedy: "name the origin by a number or a digest")
    }
}

/// A session before its extension is launched. It consists of the host's end of a channel, and the ends for the
/// extension.
struct SessionDraft: ~Copyable {
    let link: SessionLink
    let endpoint: HostEndpoint
    let descriptors: ExtensionDescriptors
    /// The extension point's limit for one request, or the host's shorter limit.
    let patience: CallPatience?
    /// Receives the broker's events.
    let events: @Sendable (ExtensionEvent) -> Void

    init(_ wish: LaunchWish, terms: SessionTerms, _ configure: (inout ChannelConfiguration) -> Void) throws {
        let link = SessionLink()
        var configuration = terms.channel
        configuration.label = wish.identifier
        configure(&configuration)
        if terms.hasPrivateInput, configuration.recording != nil {
            throw BrokerError(
                .privateInput, what: "its extension point has private input, so the channel must not be recorded",
                place: wish.identifier,
                remedy: "leave `recording` out, or test with a point of your own that does not state `input: private`")
        }
        configuration.callLimit = [configuration.callLimit, wish.timeLimit].compactMap(\.self).min()
        var handlers = link.handlers
        wish.hosted.install(in: &handlers)
        if !wish.hosted.answersEverything { link.serveItems(in: &handlers) }
        let channel = try HostEndpoint.make(configuration: configuration, handlers: handlers)
        let endpoint = channel.host
        self.link = link
        self.endpoint = endpoint
        descriptors = channel.descriptors
        patience = configuration.callLimit.map { CallPatience($0) }
        events = { link.receive($0, endpoint: endpoint) }
    }
}
