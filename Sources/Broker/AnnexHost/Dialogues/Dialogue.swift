internal import AnnexChannel
internal import AnnexModel
internal import Synchronization

/// A request of items that stays open while the user works. Meanwhile, the extension gets events.
///
/// The answer to the request closes the dialogue. If an event is in progress at that moment, it is cancelled, because
/// its answer is no longer useful. Releasing the last reference to this object cancels the request.
///
/// The extension point's limit for a request, and its watchdog, apply to each event. They apply to the request itself
/// only after `outcome()` is called, because the user may take any amount of time.
final class Dialogue: Sendable {
    let session: ExtensionSession
    /// The number of the request.
    private let number: UInt64
    private let events: DialogueEvents
    private let request: Task<Result<[ExtensionItem], HostError>, Never>

    /// Sends the request.
    /// - Parameter onClose: called once, when the request has its answer.
    init(
        _ session: ExtensionSession, request items: [ExtensionItem], accepting acceptance: Acceptance,
        onClose: @escaping @Sendable () -> Void = {}
    ) {
        self.session = session
        let events = DialogueEvents()
        self.events = events
        let number = session.nextRequest()
        self.number = number
        request = Task {
            defer {
                if events.close() { session.endLimit(of: number) }
                onClose()
            }
            return await Self.result { () async throws(HostError) in
                try await session.requestWithoutLimit(items, accepting: acceptance, number: number)
            }
        }
    }

    deinit { request.cancel() }

    /// Whether the extension has answered, failed or ended.
    var isAnswered: Bool { events.isClosed }

    /// Sends an event and waits for its answer.
    /// - Returns: nil if the extension has answered the request instead.
    /// - Throws: the failure of the request, if the extension has failed the request instead. Otherwise, the event's
    ///   failure.
    @discardableResult
    nonisolated(nonsending) func send<Event: ChannelRequest & Sendable>(
        _ event: Event
    ) async throws(HostError) -> Event.Response? where Event.Response: Sendable {
        let begun = events.begin { [session] in
            Task { await Self.result { () async throws(HostError) in try await session.callWatched(event) } }
        }
        // After the extension has answered the request, it need not answer events.
        guard let (call, number) = begun else {
            _ = try await outcome().get()
            return nil
        }
        defer { events.remove(number) }
        let result = await withTaskCancellationHandler {
            await call.value
        } onCancel: {
            call.cancel()
        }
        do throws(HostError) {
            return try result.get()
        } catch {
            guard isAnswered else { throw error }
            // The outcome of the request says more than the failure of a late event.
            _ = try await outcome().get()
            return nil
        }
    }

    /// Sends the last event. After this event, the extension answers the request. If the event was sent and fails, the
    /// session ends.
    nonisolated(nonsending) func conclude<Event: ChannelRequest & Sendable>(
        _ event: Event
    ) async throws(HostError) -> Event.Response? where Event.Response: Sendable {
        do throws(HostError) {
            return try await send(event)
        } catch {
            // If an event could not be sent, the caller may send it again.
            if case .invalidRequest = error, !isAnswered { throw error }
            if isAnswered { _ = await session.complete() } else { _ = await giveUp() }
            throw error
        }
    }

    private nonisolated(nonsending) func giveUp() async -> Termination {
        request.cancel()
        _ = await request.value
        return await session.cancel()
    }

    /// Waits until the request has its answer. The user no longer delays the answer, so the time limit of the request
    /// begins now. Cancelling the task cancels the request.
    nonisolated(nonsending) func outcome() async -> Result<[ExtensionItem], HostError> {
        events.beginWait { session.startLimit(of: number) }
        return await withTaskCancellationHandler {
            await request.value
        } onCancel: {
            request.cancel()
        }
    }

    /// Waits for the answer, and ends the session. Cancelling the task cancels the request.
    nonisolated(nonsending) func answer() async throws(HostError) -> [ExtensionItem] {
        let result = await outcome()
        _ = await session.complete()
        return try result.get()
    }

    /// How long an extension may take to notice that the user gave up.
    private static let cancelLimit = Duration.seconds(1)

    /// Ends the session.
    /// - Parameter event: the event that tells the extension about the end. If it is nil, the extension gets no
    ///   event.
    nonisolated(nonsending) func cancel(informingBy event: (some ChannelRequest & Sendable)?) async -> Termination {
        if let event, !isAnswered {
            // The event is sent in a separate task, because the caller's task may already be cancelled. If the
            // extension fails here, it is ended too.
            await Task { [session] in _ = try? await session.call(event, timeout: Self.cancelLimit) }.value
        }
        return await giveUp()
    }

    private static func result<Value>(
        of work: () async throws(HostError) -> Value
    ) async -> Result<Value, HostError> {
        do throws(HostError) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
}

/// The events of a dialogue that wait for an answer. This object also records whether the time limit of the dialogue's
/// request has begun.
private final class DialogueEvents: Sendable {
    private struct Contents {
        var isClosed = false
        /// Whether the time limit of the request has begun.
        var isWaiting = false
        /// A closure for each event, which cancels the event.
        var cancels: [UInt64: @Sendable () -> Void] = [:]
        var last: UInt64 = 0
    }

    private let contents = Mutex(Contents())

    var isClosed: Bool { contents.withLock { $0.isClosed } }

    /// Begins an event. If the request gets its answer before the event does, the event is cancelled.
    /// - Returns: the event and its number; nil if the request already has its answer.
    func begin<Value>(_ make: () -> Task<Value, Never>) -> (call: Task<Value, Never>, number: UInt64)? {
        contents.withLock { contents in
            guard !contents.isClosed else { return nil }
            let call = make()
            contents.last += 1
            contents.cancels[contents.last] = { call.cancel() }
            return (call, contents.last)
        }
    }

    func remove(_ event: UInt64) { contents.withLock { _ = $0.cancels.removeValue(forKey: event) } }

    /// Begins the time limit, at most once and only while the request is open. So the later `close()` reports that the
    /// time limit must be ended.
    func beginWait(_ begin: () -> Void) {
        contents.withLock { contents in
            guard !contents.isWaiting, !contents.isClosed else { return }
            contents.isWaiting = true
            begin()
        }
    }

    /// - Returns: whether the time limit had begun.
    func close() -> Bool {
        let (cancels, isWaiting) = contents.withLock { contents in
            contents.isClosed = true
            defer { contents.cancels = [:] }
            return (contents.cancels, contents.isWaiting)
        }
        for cancel in cancels.values { cancel() }
        return isWaiting
    }
}
