internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

extension Warden {
    /// The most answers that are read in one turn of the loop, so that the loop's other work does not wait long.
    private static let turn = 32

    func beginListening() throws(SystemError) {
        let answers = try loop.watch(socket.descriptor.number) { [weak self] _ in self?.listen() }
        state.withLock { $0.watches.append(answers) }
        // Watching the socket for its end is not sufficient. A process that the warden has just cloned may keep the
        // socket open a moment longer than the warden lives.
        try process.watchEnd(on: loop) { [weak self] in self?.listenToTheLast() }
    }

    private func listen() {
        for _ in 0..<Self.turn where !receiveOne() { return }
    }

    private func listenToTheLast() {
        while receiveOne() {}
        lose()
    }

    /// - Returns: whether there may be more answers.
    private func receiveOne() -> Bool {
        do throws(SystemError) {
            switch try socket.receive(atMost: WardenAnswer.size) {
            case .message(let message):
                receive(message)
                return true
            case .nothing: return false
            case .end: break
            }
        } catch {
            // If the socket to the warden fails, the warden can no longer be used. It is treated as lost.
        }
        lose()
        return false
    }

    private func receive(_ message: consuming ControlMessage) {
        guard let answer = WardenAnswer(message.bytes) else { return }
        let found = state.withLock { state in
            answer.kind == .ended ? state.launches.removeValue(forKey: answer.launch) : state.launches[answer.launch]
        }
        guard let launch = found, let event = Self.event(answer, subjects: launch.subjects, message: message) else {
            return
        }
        launch.handler(event)
    }

    private static func event(
        _ answer: WardenAnswer, subjects: LaunchSubjects, message: consuming ControlMessage
    ) -> LaunchEvent? {
        switch answer.kind {
        case .hello: return nil
        case .started:
            guard let pidfd = message.descriptors.takeFirst() else { return .unheld(process: answer.process) }
            return .started(ProcessHandle(owning: pidfd), process: answer.process)
        case .scratch:
            guard let directory = message.descriptors.takeFirst() else { return nil }
            return .scratch(directory)
        case .listener:
            guard let listener = message.descriptors.takeFirst() else { return .unheld(process: nil) }
            return .listener(listener)
        case .executed: return .executed(answer.times, answer.layers, numbers: answer.numbersError)
        case .failed: return .failed(failure(answer, subjects: subjects), answer.times)
        case .stopped: return .stopped(signal: answer.stopSignal)
        case .ended: return .ended(answer.end, answer.usage)
        }
    }

    private static func failure(_ answer: WardenAnswer, subjects: LaunchSubjects) -> LaunchFailure {
        LaunchFailure(
            answer.step, errno: answer.error, detail: answer.detail,
            subject: subjects.subject(of: answer.step, detail: answer.detail))
    }

    /// Marks the warden as lost, and reports the loss once to every launch.
    func lose() {
        let (watches, launches) = state.withLock { state in
            defer {
                state.isLost = true
                state.launches = [:]
                state.backlog = []
            }
            return (state.watches, state.launches)
        }
        for watch in watches { watch.cancel() }
        for launch in launches.values { launch.handler(.wardenLost) }
    }
}

extension Warden {
    /// Whether the warden is gone, even if the loop's thread has not noticed yet.
    package var isLost: Bool { state.withLock { $0.isLost } || process.handle.hasEnded }

    /// Ends every remaining sandbox, removes the directories that the plans listed for removal, and waits for the
    /// warden's end. Launches that have not ended yet get `wardenLost`. This function must not be called on the
    /// loop's thread.
    ///
    /// - Parameter patience: how long to wait. The default is a little longer than the longest shutdown of the warden.
    package func shutDown(patience: Duration = .seconds(15)) {
        _ = shutdown(socket.descriptor.number, Int32(SHUT_RDWR))
        if !process.handle.descriptor.isReadable(within: patience) {
            // Something stopped the warden. Neither the warden nor its sandboxes would end by themselves.
            try? process.handle.sendSignal(SIGKILL)
            _ = process.handle.descriptor.isReadable(within: patience)
        }
        // The loop may be delivering events, or the loss of the warden, at this moment. `cancelAndWait` waits for that
        // delivery, so that `lose` reports the loss as the last event.
        if process.handle.hasEnded { process.finish() }
        for watch in state.withLock({ $0.watches }) { watch.cancelAndWait() }
        lose()
    }
}
