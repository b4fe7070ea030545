package import AnnexLinux
internal import AnnexMessages
internal import Glibc
internal import Synchronization

/// The member's end of a portal. A portal connects a member, which is an extension or a containing app, with the
/// broker.
///
/// An extension has one thread. While this thread blocks for an answer, it reads the portal by itself, and answers
/// the host's watchdog. While the extension's tasks are suspended, the broker wakes the thread through the bell of
/// the extension's channel. A containing app has a separate thread that reads the portal.
package final class PortalClient: Sendable {
    /// The thread that reads the portal.
    package enum Reader: Sendable {
        /// The thread that waits for an answer reads the portal. While this thread waits, it calls the closure
        /// several times a second. If the closure returns false, the host is gone.
        case caller(heartbeat: @Sendable () -> Bool)
        /// A separate thread reads the portal. This thread calls `receiveUntilEnd`.
        case thread
    }

    private struct State {
        var lastCall: UInt64 = 0
        var pending: [UInt64: PendingPortalCall] = [:]
        var handlers: [PortalServiceName: @Sendable (_ group: String, _ body: [UInt8]) -> Void] = [:]
        var endings: [PortalServiceName: @Sendable () -> Void] = [:]
        var isGone = false
    }

    /// How often a waiting extension answers its host's watchdog.
    private static let heartbeat = Duration.milliseconds(100)
    /// The longest wait if the caller states no limit. If the broker gives no answer for so long, the broker has a
    /// fault.
    package static let patience = Duration.seconds(60)

    private let socket: ControlSocket
    private let reader: Reader
    private let state = Mutex(State())
    /// The number of requests that tasks may have open at once. The broker accepts twice as many unanswered requests
    /// from one member. So there is also room for the requests of blocked threads.
    private let slots = PortalSlots(32)

    package init(_ socket: consuming ControlSocket, reader: Reader) {
        self.socket = socket
        self.reader = reader
    }

    // MARK: Calls

    /// Sends a request and waits for its answer on this thread.
    package func call(
        _ method: PortalMethod, group: String = "", body: [UInt8] = [],
        within limit: Duration = PortalClient.patience
    ) throws(PortalError) -> PortalAnswer {
        try call(within: limit) { PortalRequest(call: $0, method: method, group: group, body: body) }
    }

    /// Sends the hello message of a containing app as the first request, and waits for its answer.
    func call(_ hello: PortalHello, within limit: Duration) throws(PortalError) -> PortalAnswer {
        try call(within: limit) { _ in hello }
    }

    private func call(
        within limit: Duration, _ request: (_ number: UInt64) -> some Message
    ) throws(PortalError) -> PortalAnswer {
        let deadline = MonotonicClock.deadline(after: limit)
        let (number, pending) = try begin(request)
        defer { forget(number) }
        while true {
            if case .caller = reader { receive() }
            if let result = pending.result { return try result.get() }
            guard MonotonicClock.now() < deadline else { throw .deadlinePassed }
            try wait(for: pending, until: deadline)
        }
    }

    /// Sends a request, and suspends the task until the answer comes. If the task is cancelled, the call throws
    /// `cancelled`.
    package nonisolated(nonsending) func callLater(
        _ method: PortalMethod, group: String = "", body: [UInt8] = []
    ) async throws(PortalError) -> PortalAnswer {
        guard await slots.take() else { throw .cancelled }
        defer { slots.giveBack() }
        let (number, pending) = try begin { PortalRequest(call: $0, method: method, group: group, body: body) }
        defer { forget(number) }
        let result = await withTaskCancellationHandler {
            await pending.wait()
        } onCancel: {
            pending.resolve(.failure(.cancelled))
        }
        return try result.get()
    }

    /// Sends a message that gets no answer.
    package func tell(
        _ method: PortalMethod, group: String = "", body: [UInt8] = []
    ) throws(PortalError) {
        try send(PortalRequest(call: 0, method: method, group: group, body: body))
    }

    private func begin(
        _ request: (_ number: UInt64) -> some Message
    ) throws(PortalError) -> (UInt64, PendingPortalCall) {
        let pending = PendingPortalCall()
        let number = try state.withLock { (state) throws(PortalError) in
            guard !state.isGone else { throw .brokerGone }
            state.lastCall += 1
            state.pending[state.lastCall] = pending
            return state.lastCall
        }
        do throws(PortalError) {
            try send(request(number))
        } catch {
            forget(number)
            throw error
        }
        return (number, pending)
    }

    private func forget(_ number: UInt64) { _ = state.withLock { $0.pending.removeValue(forKey: number) } }

    private func wait(for pending: PendingPortalCall, until deadline: UInt64) throws(PortalError) {
        switch reader {
        case .thread: pending.parker.park(until: deadline)
        case .caller(let heartbeat):
            let next = min(deadline, MonotonicClock.deadline(after: Self.heartbeat))
            guard !socket.descriptor.waitUntilReadable(until: next) else { return }
            guard heartbeat() else { throw PortalError(.gone, what: "the host has ended") }
        }
    }

    private func send(_ request: some Message) throws(PortalError) {
        let bytes: [UInt8]
        do throws(EncodingFailure) {
            bytes = try request.encoded(within: PortalRequest.limits)
        } catch {
            throw PortalError(
                .invalid, what: "the request is too large: \(error)",
                remedy:
                    "send at most \(ByteCount(PortalRequest.mostBytes)) at once; keep more in a file of the container")
        }
        try send(bytes)
    }

    /// Sends one request. If the socket is full, this function tries again until the broker has read from it, or
    /// until `patience` is over.
    private func send(_ bytes: [UInt8]) throws(PortalError) {
        let deadline = MonotonicClock.deadline(after: Self.patience)
        while true {
            do throws(SystemError) {
                return try socket.send(bytes)
            } catch {
                guard error.errno == EAGAIN else { throw .brokerGone }
                guard MonotonicClock.now() < deadline else { throw .deadlinePassed }
                if case .caller(let heartbeat) = reader { _ = heartbeat() }
                MonotonicClock.pause()
            }
        }
    }

    /// Whether the broker has ended the portal.
    package var isGone: Bool { state.withLock { $0.isGone } }

    // MARK: Deliveries

    /// Sets the handler for the news of a service. News are messages that the broker sends without a request. The
    /// handlers run on the thread that reads the portal.
    /// - Parameter ending: called when the portal ends. If the portal has already ended, the closure is not called.
    package func handle(
        _ service: PortalServiceName, atEnd ending: @escaping @Sendable () -> Void = {},
        with handler: @escaping @Sendable (_ group: String, _ body: [UInt8]) -> Void
    ) {
        state.withLock { ($0.handlers[service], $0.endings[service]) = (handler, ending) }
    }

    /// Reads all messages that are in the socket, without waiting.
    package func receive() { while receiveOne(waiting: false) {} }

    /// Reads messages until the broker ends the portal.
    package func receiveUntilEnd() { while receiveOne(waiting: true) {} }

    /// Ends the portal.
    package func close() { socket.shutDown() }

    /// - Returns: whether a message was read.
    private func receiveOne(waiting: Bool) -> Bool {
        let reception: ControlReception
        do throws(SystemError) {
            reception = try socket.receive(atMost: PortalDelivery.mostBytes, waiting: waiting)
        } catch {
            end()
            return false
        }
        switch consume reception {
        case .nothing: return false
        case .end:
            end()
            return false
        case .message(var message):
            deliver(message.bytes, with: message.takeDescriptors())
            return true
        }
    }

    private func deliver(_ bytes: [UInt8], with descriptors: consuming DescriptorList) {
        // The broker is trusted. If a message cannot be decoded, it comes from a newer broker, so the message is
        // ignored.
        guard let delivery = try? PortalDelivery(decoding: bytes, within: PortalDelivery.limits) else { return }
        guard delivery.call == 0 else {
            let pending = state.withLock { $0.pending.removeValue(forKey: delivery.call) }
            pending?.resolve(Self.result(of: delivery, with: descriptors))
            return
        }
        guard let service = PortalServiceName(rawValue: delivery.service) else { return }
        state.withLock { $0.handlers[service] }?(delivery.group, delivery.body)
    }

    private static func result(
        of delivery: PortalDelivery, with descriptors: consuming DescriptorList
    ) -> Result<PortalAnswer, PortalError> {
        if let error = delivery.error { return .failure(error) }
        do throws(PortalError) {
            return .success(try PortalAnswer(delivery, descriptors: descriptors))
        } catch {
            return .failure(error)
        }
    }

    private func end() {
        let (pending, endings) = state.withLock { state in
            state.isGone = true
            defer { (state.pending, state.endings) = ([:], [:]) }
            return (Array(state.pending.values), Array(state.endings.values))
        }
        for call in pending { call.resolve(.failure(.brokerGone)) }
        for ending in endings { ending() }
    }
}
