internal import AnnexLinux

// Requests and streams that tasks work on, and calls to the host that suspend their task. All tasks run on the thread
// that uses the core, in `FirstThread.runReady`.

extension ExtensionCore {
    /// Works on a request in a task. If the host cancels the request, the task is cancelled.
    @discardableResult
    func startTask(for call: UInt64, _ body: @escaping () async -> Void) -> Task<Void, Never> {
        let task = startTask(on: .call(call), body)
        notifyCancel(of: call) { task.cancel() }
        return task
    }

    /// Works on a stream in a task. If the host resets the stream, the task is cancelled.
    func startTask(for stream: ExtensionStream, _ body: @escaping () async -> Void) {
        let task = startTask(on: .stream(stream.id), body)
        if stream.failure != nil { task.cancel() }
    }

    private func startTask(on subject: TaskSubject, _ body: @escaping () async -> Void) -> Task<Void, Never> {
        // SAFETY: the task runs on this thread, and so does all code that uses the core and the body's variables.
        nonisolated(unsafe) let (core, body) = (self, body)
        let task = Task(executorPreference: tasks) {
            await unsafe body()
            unsafe core.working[subject] = nil
        }
        working[subject] = task
        return task
    }

    /// Cancels the tasks of all requests and streams, because the session is over.
    func cancelTasks() {
        for task in working.values { task.cancel() }
    }

    /// Runs a body when the host cancels an open request. If the host has already cancelled the request, the body runs
    /// now.
    private func notifyCancel(of call: UInt64, _ body: @escaping () -> Void) {
        guard let index = open.firstIndex(where: { $0.call == call }) else { return body() }
        if open[index].isCancelled { body() } else { open[index].onCancel = body }
    }

    /// Calls the host, and suspends the task until the answer. Cancelling the task gives up the call.
    nonisolated(nonsending) func call(
        suspending method: UInt16, payload: [UInt8], until deadline: UInt64?
    ) async throws(ExtensionFailure) -> HostAnswer {
        let call = try sendCall(method, payload: payload, until: deadline)
        let waiting = Suspension<HostAnswer>(on: tasks)
        suspended[call] = waiting
        return await waiting.outcome(until: deadline) { [self] reason in
            giveUp(call, method: method, as: reason == .tooLate ? .tooLate : .cancelled)
        }
    }

    /// Ends a task's call without an answer, and informs the host.
    private func giveUp(_ call: UInt64, method: UInt16, as answer: HostAnswer) {
        guard let waiting = suspended.removeValue(forKey: call), waiting.resolve(with: answer) else { return }
        // If the host is gone, the serving loop ends at its next step.
        try? send(FrameHeader(kind: .cancel, method: method, call: call), payload: [])
    }

    /// Resumes the task that waits for this answer. If the call was given up, its answer is dropped, and the answer's
    /// descriptors are closed.
    func resumeCaller(with frame: Frame) throws(ExtensionFailure) {
        guard frame.call <= lastCall else { throw .violated(.unknownCall(frame.call)) }
        let answer = try answer(in: frame)
        suspended.removeValue(forKey: frame.call)?.resolve(with: answer)
    }
}

extension ExtensionCore {
    /// Events about the extension's life may have been read early and kept. Passes these events to their handler, so
    /// that the extension receives them while it works.
    func deliverLifeEvents() {
        guard let onLifeEvent, ahead.contains(where: Self.isLifeEvent) else { return }
        let events = ahead.filter(Self.isLifeEvent)
        ahead.removeAll(where: Self.isLifeEvent)
        for event in events { onLifeEvent(event.method) }
    }

    private static func isLifeEvent(_ frame: Frame) -> Bool {
        frame.kind == .event && ChannelEvent.lifeEvents.contains(frame.method)
    }
}
