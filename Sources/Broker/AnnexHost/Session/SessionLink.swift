internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexModel
internal import Synchronization

/// What ties a session's three parties together: the channel's endpoint, the broker's handle, and whoever waits.
///
/// The extension may say hello or end before the broker has returned its handle: what is to be told until then waits.
final class SessionLink: Sendable {
    typealias Message = @Sendable (any ExtensionHandle) -> Void

    private enum State {
        case connecting([Message])
        case connected(any ExtensionHandle)
        case over
    }

    private let state = Mutex(State.connecting([]))
    /// SYNC: acquire-release: who sees no ping under way sends the next one. One is enough.
    private let isAsking = Atomic<Bool>(false)
    let ready = Milestone<Result<LaunchReport, SessionEnd>>()
    let ended = Milestone<Termination>()

    /// The broker has launched it.
    func connect(to handle: any ExtensionHandle) {
        let waiting = state.withLock { state in
            guard case .connecting(let messages) = state else { return [] as [Message] }
            state = .connected(handle)
            return messages
        }
        for message in waiting { message(handle) }
    }

    /// Tells the broker, as soon as there is somebody to tell and for as long as there is.
    func tell(_ message: @escaping Message) {
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

    /// Tells an observer, too, of hello and end.
    func tell(_ observer: any SessionObserver) {
        ready.whenReached { if case .success(let report) = $0 { observer.ready(report) } }
        ended.whenReached { observer.ended($0) }
    }

    /// Takes a parked extension for good; false where it is about to end, or has.
    nonisolated(nonsending) func claim() async -> Bool { await handle?.askedClaim() ?? false }

    /// The same for code without Swift concurrency.
    func claimAndWait() -> Bool { handle?.claim() ?? false }

    private var handle: (any ExtensionHandle)? {
        state.withLock { state in
            if case .connected(let handle) = state { handle } else { nil }
        }
    }

    /// What the channel reports goes to the broker, which decides.
    var handlers: ChannelHandlers {
        var handlers = ChannelHandlers()
        handlers.onHello = { [weak self] _ in self?.tell { $0.saidHello() } }
        handlers.onViolation = { [weak self] violation in self?.tell { $0.violated(ProtocolViolation(violation)) } }
        handlers.onUnreadable = { [weak self] method, failure in
            let text = "a notice of method \(method) that cannot be read: \(failure)"
            self?.tell { $0.violated(ProtocolViolation(text)) }
        }
        handlers.onStreamWait = { [weak self] in self?.tell($0) }
        handlers.onPeerClosed = { [weak self] in self?.tell { $0.channelClosed() } }
        handlers.onEvent = { [weak self] event in
            switch event.method {
            case LifeEvent.activityBegan:
                self?.tell { $0.activityBegan(String(decoding: event.payload.prefix(200), as: UTF8.self)) }
            case LifeEvent.activityEnded: self?.tell { $0.activityEnded() }
            default: break
            }
        }
        return handlers
    }

    /// A wait in a stream runs against the extension point's time limit and is watched as a request is.
    private func tell(_ waiting: StreamWaiting) {
        // Apart from the numbers of requests.
        let apart: UInt64 = 1 << 63
        switch waiting {
        case .began(let number): tell { $0.requestBegan(apart | number) }
        case .ended(let number): tell { $0.requestEnded(apart | number) }
        case .overstayed: tell { $0.overstayed() }
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
            // The handle holds the event handler that holds this link: here the circle ends.
            state.withLock { $0 = .over }
            endpoint.end(with: "\(termination.reason.rawValue)")
            // The end comes last: what the extension sent before it has been heard by then.
            endpoint.whenHeard { [ended, ready] in
                ended.reach(termination)
                ready.reach(.failure(SessionEnd(termination: termination)))
            }
        }
    }

    /// An extension that does not read any more hears of nothing, and is ended when its time is over.
    private func send(_ event: UInt16, to endpoint: HostEndpoint) {
        try? endpoint.sendAndWait(ChannelEvent(method: event), timeout: .zero)
    }

    private func ask(_ endpoint: HostEndpoint) {
        guard !isAsking.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let isSent = endpoint.ping { [weak self] isAnswered in
            self?.isAsking.store(false, ordering: .releasing)
            if isAnswered { self?.tell { $0.gaveSign() } }
        }
        if !isSent { isAsking.store(false, ordering: .releasing) }
    }
}

/// An end as an error, for a `Result`.
struct SessionEnd: Error {
    let termination: Termination
}

extension ProtocolViolation {
    fileprivate init(_ violation: ChannelViolation) {
        if case .messageBudget = violation {
            self.init("\(violation)", isBudget: true)
        } else {
            self.init("\(violation)")
        }
    }
}
