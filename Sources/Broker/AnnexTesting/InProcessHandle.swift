internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexExtension
internal import AnnexLinux
internal import AnnexModel
internal import Synchronization

/// An extension that runs as a thread. The extension ends when its thread ends, because a thread cannot be killed.
final class InProcessHandle: ExtensionHandle {
    private struct State {
        /// Why the extension ends. It is nil if the extension ends by itself.
        var cause: Termination.Reason?
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let events: @Sendable (ExtensionEvent) -> Void
    /// The host's end of the channel.
    private let host: HostEndpoint

    /// How long the goodbye, the message that the session is over, waits for room in the channel. A debugger may stop
    /// the extension for a long time.
    private static let longestGoodbye = Duration.seconds(86_400)

    init(_ host: HostEndpoint, events: @escaping @Sendable (ExtensionEvent) -> Void) {
        self.host = host
        self.events = events
    }

    func start(
        channel: consuming ExtensionDescriptors, makeService: @escaping InProcessBroker.MakeService
    ) throws(SystemError) {
        let box = DescriptorBox(channel)
        _ = try WorkerThread("annex-extension") { [self] in
            guard let channel = box.take() else { return }
            report(serve(channel, with: makeService))
        }
    }

    private func serve(
        _ channel: consuming ExtensionDescriptors, with makeService: InProcessBroker.MakeService
    ) -> Termination {
        do throws(ExtensionFailure) {
            // If the channel has no room, it holds a message that the thread has not read yet. So the thread needs no
            // further message to wake up.
            let endpoint = try ExtensionEndpoint(channel) { [host] in
                try? host.sendAndWait(ChannelEvent(method: ReservedMethods.wakeUp), timeout: .zero)
            }
            let service = makeService(endpoint)
            try endpoint.sayHello()
            try service.serve(endpoint)
            return Termination(.cancelled)
        } catch {
            // In the same case, the program of a real extension prints this error and exits.
            return Termination(.exited, detail: .exitCode(1), lastOutput: [Escaped("\(error)")])
        }
    }

    /// Reports the extension's end, at most once.
    private func report(_ end: Termination) {
        let cause: Termination.Reason?? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return state.cause
        }
        guard let cause else { return }
        events(.ended(cause.map { Termination($0) } ?? end))
    }

    func saidHello() { events(.ready(.unknown)) }

    func dismiss(for dismissal: Dismissal) {
        let isFirst = state.withLock { state in
            guard state.cause == nil, !state.hasEnded else { return false }
            state.cause = dismissal == .completed ? .completed : .cancelled
            return true
        }
        guard isFirst else { return }
        // The extension may be busy while its channel is full, and this thread must not wait. If no thread can be
        // created, the caller sends the goodbye itself, without waiting.
        let goodbye = { @Sendable [host] (limit: Duration) in
            _ = try? host.sendAndWait(ChannelEvent(method: LifeEvent.goodbye), timeout: limit)
        }
        let thread = try? WorkerThread("annex-goodbye") { goodbye(Self.longestGoodbye) }
        if thread == nil { goodbye(.zero) }
    }

    func violated(_ violation: ProtocolViolation) {
        end(because: violation.isBudget ? .messageBudget : .protocolViolation)
    }

    func overstayed() { end(because: .timeLimit) }

    /// Ends the extension because it broke a rule. The end of the session closes the channel, and that ends the thread.
    private func end(because cause: Termination.Reason) {
        state.withLock { $0.cause = cause }
        report(Termination(cause))
    }

    // The thread reports its own end. There is no limit and no watchdog that needs the other reports.
    func channelClosed() {}
    func requestBegan(_ request: UInt64) {}
    func requestEnded(_ request: UInt64) {}
    func gaveSign() {}
    func activityBegan(_ reason: String) {}
    func activityEnded() {}
    func park() {}
    func claim() -> Bool { true }
}
