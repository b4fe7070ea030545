internal import AnnexLinux
internal import AnnexMessages
package import AnnexPortal
internal import Synchronization

/// The broker's end of one portal, the socket that connects a member with its broker. A member is an extension or a
/// containing app. The broker treats the member as hostile: the member chooses which bytes it sends and when, and
/// whether it reads its messages.
package final class PortalConnection: Sendable {
    private struct State {
        var budget = PortalBudget()
        /// What the reading of requests waits for, a moment or an answer; nil if reading is not paused.
        var pause: PortalBudget.Pace?
        var watch: EventLoop.Watch?
        /// For each service and group, when the news of this service about this group may be sent next.
        var news: [PortalNewsKey: PortalNewsState] = [:]
        var isOver = false
    }

    package let member: PortalMember
    /// The number of this connection. No other connection of the server has the same number.
    let number: UInt64
    private let socket: ControlSocket
    private let refusesDescriptors: Bool
    private let server: PortalServer
    private let state = Mutex(State())
    /// Called once, with the name of the rule, if the member breaks a rule of the portal.
    private let onViolation: @Sendable (String) -> Void
    private let onEnd: @Sendable () -> Void

    init(
        _ socket: consuming ControlSocket, member: PortalMember, number: UInt64, server: PortalServer,
        onViolation: @escaping @Sendable (String) -> Void, onEnd: @escaping @Sendable () -> Void
    ) {
        self.socket = socket
        self.member = member
        self.number = number
        self.server = server
        self.onViolation = onViolation
        self.onEnd = onEnd
        // No request may carry descriptors, so the kernel is asked to refuse them. Kernels before 6.16 cannot do
        // that.
        refusesDescriptors = self.socket.setPassRights(false)
    }

    deinit {
        // The last close of the socket closes the descriptors that are still queued in it. This may take long, so the
        // server does the last close in its row.
        guard !refusesDescriptors, let last = try? socket.descriptor.duplicate() else { return }
        server.close([last.release()])
    }

    func start() throws(SystemError) {
        try socket.markMessages()
        let watch = try server.loop.watch(socket.descriptor.number) { [self] _ in read() }
        let isOver = state.withLock { state in
            if !state.isOver { state.watch = watch }
            return state.isOver
        }
        if isOver { watch.cancel() }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Ends the portal. After that, open requests get no answer.
    package func end() {
        let watch = state.withLock { state -> EventLoop.Watch? in
            guard !state.isOver else { return nil }
            state.isOver = true
            return state.watch.take()
        }
        guard let watch else { return }
        watch.cancel()
        socket.shutDown()
        for locks in member.locks.values { locks.close() }
        server.forget(self)
        onEnd()
    }

    // MARK: Requests

    /// The most messages that one turn of the event loop reads. Other portals wait during this turn.
    private static let mostPerTurn = 16

    private func read() {
        for _ in 0..<Self.mostPerTurn {
            guard mayRead() else { return }
            let reception: ControlReception
            do throws(SystemError) {
                reception = try socket.receive(atMost: PortalRequest.mostBytes)
            } catch {
                return end()
            }
            switch consume reception {
            case .nothing: return
            case .end: return end()
            case .message(var message):
                guard message.descriptors.count == 0 else {
                    server.close(message.takeDescriptors())
                    return violate("a request with descriptors")
                }
                guard !message.bytesWereCut else {
                    return violate("a request of more than \(PortalRequest.mostBytes) bytes")
                }
                guard take(message.bytes) else { return }
            }
        }
    }

    private func take(_ bytes: [UInt8]) -> Bool {
        state.withLock { $0.budget.take(bytes: bytes.count) }
        guard let request = try? PortalRequest(decoding: bytes, within: PortalRequest.limits) else {
            violate("a request that is no message")
            return false
        }
        server.handle(request, of: self, bytes: bytes.count)
        return true
    }

    private func violate(_ rule: String) {
        onViolation(rule)
        end()
    }

    /// Called when the work on a request has ended.
    /// - Parameter bytes: the length of the whole request.
    func finished(bytes: Int) {
        let goesOn = state.withLock { state in
            state.budget.finish(bytes: bytes)
            return state.pause == .afterAnswer && state.budget.hasRoom
        }
        // `goOn` runs on the event loop's thread, after `mayRead` on the same thread. So the earlier watch has been
        // cancelled by then.
        if goesOn { server.loop.schedule(after: .zero) { [self] in goOn() } }
    }

    // MARK: Pauses

    /// Whether the next request may be read now. If not, reading pauses until the budget permits the next request.
    private func mayRead() -> Bool {
        let now = MonotonicClock.now()
        let (pace, watch) = state.withLock { state -> (PortalBudget.Pace, EventLoop.Watch?) in
            let pace = state.budget.pace(at: now)
            guard pace != .now else { return (.now, nil) }
            state.pause = pace
            return (pace, state.watch.take())
        }
        guard pace != .now else { return true }
        watch?.cancel()
        // A watch or a timer of the event loop keeps this object alive until the portal ends. While reading waits for
        // an answer, the open requests keep this object alive.
        if case .at(let moment) = pace { server.loop.schedule(at: moment) { [self] in goOn() } }
        return false
    }

    private func goOn() {
        let isPaused = state.withLock { state in
            defer { state.pause = nil }
            return state.pause != nil && !state.isOver
        }
        guard isPaused else { return }
        do throws(SystemError) { try start() } catch { end() }
    }

    // MARK: Deliveries

    /// The most bytes of a body that is sent inside its message. A longer body is sent as sealed memory.
    private static let mostInline = 32 << 10

    func send(answer call: UInt64, body: [UInt8], with descriptors: consuming DescriptorList) {
        guard body.count > Self.mostInline else {
            return send(PortalDelivery(answer: call, body: body), with: descriptors)
        }
        do throws(SystemError) {
            var list = DescriptorList(try Descriptor.sealed("annex-portal", holding: body))
            while let next = descriptors.takeFirst() { list.append(next) }
            send(PortalDelivery(answer: call, sealedBytes: UInt32(clamping: body.count)), with: list)
        } catch {
            send(failure: PortalError(.system, what: "\(error.cause)", remedy: error.remedy), of: call)
        }
    }

    /// Answers the hello message of an app.
    func send(description app: PortalMember) {
        let description = MemberDescription(
            identifier: app.identifier, groups: app.groups.keys.sorted(), schemes: app.schemes)
        guard let body = try? description.encoded(within: PortalDelivery.limits) else { return end() }
        send(answer: PortalHello.call, body: body, with: DescriptorList())
    }

    func send(failure error: PortalError, of call: UInt64) { send(PortalDelivery(answer: call, error: error)) }

    /// Sends one message. If the member does not read its messages and the socket is full, the broker waits briefly
    /// and then ends the portal. The thread of the event loop does not wait, but ends the portal at once.
    private func send(_ delivery: PortalDelivery, with descriptors: consuming DescriptorList = DescriptorList()) {
        guard let bytes = try? delivery.encoded(within: PortalDelivery.limits) else { return }
        let deadline = MonotonicClock.deadline(after: .seconds(1))
        while !state.withLock({ $0.isOver }) {
            do throws(SystemError) {
                try socket.send(bytes, descriptors)
                return member.wake()
            } catch {
                guard error.isLackOfRoom else { return end() }
                guard MonotonicClock.now() < deadline, !server.loop.isCurrent else { return violate("unread answers") }
                MonotonicClock.pause()
            }
        }
    }

    // MARK: News

    /// Calls a closure that sends news of a group: now, or when the pause after the last news is over. Calls that
    /// follow one another closely are joined into one. So a member that causes many news cannot keep the other
    /// members awake. Call this function in the row of the group.
    /// - Parameter send: runs in that row too. The closure returns false if the member's socket had no room. In this
    ///   case it is called again after a pause.
    package func paceNews(
        _ service: PortalServiceName, of group: OpenGroup, _ send: @escaping @Sendable (PortalConnection) -> Bool
    ) {
        let key = PortalNewsKey(service: service, group: group.identifier)
        let now = MonotonicClock.now()
        let moment = state.withLock { $0.news[key, default: PortalNewsState()].ask(at: now) }
        guard let moment else { return }
        if moment <= now { return callNews(key, of: group, send) }
        server.loop.schedule(at: moment) { [weak self] in
            group.row.run { [weak self] in self?.callNews(key, of: group, send) }
        }
    }

    private func callNews(
        _ key: PortalNewsKey, of group: OpenGroup, _ send: @escaping @Sendable (PortalConnection) -> Bool
    ) {
        let isOver = state.withLock { state in
            state.news[key]?.sent(at: MonotonicClock.now())
            return state.isOver
        }
        guard !isOver, !send(self) else { return }
        // The member has not read its earlier messages. The connection tries again after a pause, until the socket
        // has room.
        paceNews(key.service, of: group, send)
    }

    /// Sends news at once.
    /// - Returns: false if there is no room in the socket.
    package func sendNews(_ service: PortalServiceName, of group: OpenGroup, body: [UInt8] = []) -> Bool {
        let delivery = PortalDelivery(news: service, group: group.identifier, body: body)
        guard let bytes = try? delivery.encoded(within: PortalDelivery.limits) else { return true }
        do throws(SystemError) {
            try socket.send(bytes)
            member.wake()
            return true
        } catch {
            return !error.isLackOfRoom
        }
    }
}

/// Identifies one kind of news: the news of one service about one group.
struct PortalNewsKey: Hashable, Sendable {
    let service: PortalServiceName
    let group: String
}

/// Decides when the news of one kind may be sent next.
struct PortalNewsState: Sendable {
    /// The shortest time between two deliveries of the same news.
    static let pause: UInt64 = 2_000_000

    private var lastSent: UInt64 = 0
    private var isWaiting = false

    /// - Returns: the moment to send the news; nil if earlier news of this kind are still waiting for their moment.
    mutating func ask(at now: UInt64) -> UInt64? {
        guard !isWaiting else { return nil }
        isWaiting = true
        return lastSent == 0 ? now : max(now, lastSent &+ Self.pause)
    }

    mutating func sent(at now: UInt64) {
        isWaiting = false
        lastSent = now
    }
}
