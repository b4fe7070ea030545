internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

extension Warden {
    /// Answers taken in one turn of the loop, so that nothing else on it waits for long.
    private static let turn = 32

    func beginListening() throws(SystemError) {
        let answers = try loop.watch(socket.descriptor.number) { [weak self] _ in self?.listen() }
        state.withLock { $0.watches.append(answers) }
        // A process that was just cloned may hold the socket open for a moment longer than the warden lives.
        try process.watchEnd(on: loop) { [weak self] in self?.listenToTheLast() }
    }

    private func listen() {
        for _ in 0..<Self.turn where !hearOne() { return }
    }

    private func listenToTheLast() {
        while hearOne() {}
        lose()
    }

    /// - Returns: whether there may be more.
    private func hearOne() -> Bool {
        do throws(SystemError) {
            switch try socket.receive(atMost: WardenAnswer.size) {
            case .message(let message):
                hear(message)
                return true
            case .nothing: return false
            case .end: break
            }
        } catch {
            // The socket of our own warden failing is its loss; there is nothing finer to tell.
        }
        lose()
        return false
    }

    private func hear(_ message: consuming ControlMessage) {
        guard let answer = WardenAnswer(message.bytes) else { return }
        let found = state.withLock { state in
            answer.kind == .ended ? state.launches.removeValue(forKey: answer.launch) : state.launches[answer.launch]
        }
        guard let launch = found, let event = Self.event(answer, launch.subjects, message) else { return }
        launch.handler(event)
    }

    private static func event(
        _ answer: WardenAnswer, _ subjects: LaunchSubjects, _ message: consuming ControlMessage
    ) -> LaunchEvent? {
        switch answer.kind {
        case .hello: return nil
        case .started:
            guard let pidfd = message.descriptors.takeFirst() else { return .unheld(process: answer.process) }
            return .started(ProcessHandle(owning: pidfd), process: answer.process)
        case .listener:
            guard let listener = message.descriptors.takeFirst() else { return .unheld(process: nil) }
            return .listener(listener)
        case .executed: return .executed(answer.times, answer.layers)
        case .failed: return .failed(failure(answer, subjects), answer.times)
        case .stopped: return .stopped(signal: answer.stopSignal)
        case .ended: return .ended(answer.end, answer.usage)
        }
    }

    private static func failure(_ answer: WardenAnswer, _ subjects: LaunchSubjects) -> LaunchFailure {
        LaunchFailure(
            answer.step, errno: answer.error, subject: subjects.subject(of: answer.step, detail: answer.detail),
            remedy: LaunchFailure.remedy(answer.step, errno: answer.error))
    }

    /// The warden is gone. Every launch is told, once.
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
    /// Whether the warden is gone, also where the loop's thread has not come to hear of it.
    package var isLost: Bool { state.withLock { $0.isLost } || process.handle.hasEnded }

    /// Ends every sandbox that is left, removes what the plans named, and waits for the warden's end. Launches that had
    /// not ended are told `wardenLost`. Not to be called on the loop's thread.
    /// - Parameter patience: a little longer than the warden's own, which bounds its end.
    package func shutDown(patience: Duration = .seconds(15)) {
        _ = shutdown(socket.descriptor.number, Int32(SHUT_RDWR))
        if !process.handle.descriptor.isReadable(within: patience) {
            // Something stopped it: nobody would ever end it, nor what it launched.
            try? process.handle.sendSignal(SIGKILL)
            _ = process.handle.descriptor.isReadable(within: patience)
        }
        // What the loop is just telling comes before the last word, of the warden's loss too.
        if process.handle.hasEnded { process.finish() }
        for watch in state.withLock({ $0.watches }) { watch.cancelAndWait() }
        lose()
    }
}
