internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Synchronization

extension DaemonLink {
    /// The most packets that are read in one turn, because the event loop serves other descriptors too.
    private static let mostAtOnce = 64

    /// Reads packets. The event loop calls this on its thread when the socket is readable.
    func receive() {
        for _ in 0..<Self.mostAtOnce {
            guard state.withLock({ !$0.isOver }) else { return }
            do throws(SystemError) {
                switch try socket.receive(atMost: ServiceWire.fromDaemon.bytes) {
                case .nothing: return
                case .end: return close(gone)
                case .message(let message): read(message.bytes)
                }
            } catch {
                return close(BrokerError(.unreachable, what: "\(error)", place: path, remedy: gone.remedy))
            }
        }
    }

    private func read(_ bytes: [UInt8]) {
        do throws(DecodingFailure) {
            receive(try DaemonPacketMessage(decoding: bytes, within: ServiceWire.fromDaemon).packet)
        } catch {
            close(
                BrokerError(
                    .unreachable, what: "a packet of the daemon cannot be read: \(error)", place: path,
                    remedy: misunderstanding.remedy))
        }
    }

    private func receive(_ packet: DaemonPacket) {
        switch packet {
        case .welcome: break
        case .rejected(let error): close(error, for: .hostGone)
        case .changed(let number): feed.announce(number)
        case .leaving: state.withLock { $0.end = $0.end ?? gone }
        case .answer(let number, let answer):
            let (pending, turns) = state.withLock { state in
                state.window.recordAnswer(number)
                return (state.answers.removeValue(forKey: number), state.window.popTurns())
            }
            pending?.reach(.success(answer))
            for turn in turns { turn.reach(true) }
        case .event(let number, let event): deliver(event, to: number)
        }
    }

    private func deliver(_ event: ExtensionEvent, to number: UInt64) {
        let known = state.withLock { state in
            if case .ended = event { return state.extensions.removeValue(forKey: number) }
            return state.extensions[number]
        }
        known?.events(event)
        // Reports that the ping was passed on. If the host itself is stopped, it cannot report this. In that case, the
        // daemon does not count the silence against the extension.
        if case .ping = event, supports(ServiceWire.firstWithPings) {
            report(number, notice: .pingPassedOn)
        }
    }

    // MARK: Ends

    /// Ends the connection. Every waiting caller gets the error, and every extension ends.
    /// - Parameter reason: why the extensions end. It is `hostGone` if the daemon ended this connection.
    func close(_ error: BrokerError? = nil, for reason: Termination.Reason = .brokerShutdown) {
        let end = error ?? gone
        let (answers, extensions, turns) = state.withLock { state in
            state.end = end
            state.isOver = true
            defer { (state.answers, state.extensions, state.waiting, state.changed) = ([:], [:], [], []) }
            return (state.answers, state.extensions, state.window.close())
        }
        watch.withLock { $0.take() }?.cancel()
        socket.shutDown()
        for answer in answers.values { answer.reach(.failure(end)) }
        for turn in turns { turn.reach(true) }
        let termination = Termination(
            reason, detail: .limit("the connection to the daemon ended: \(end.what)"))
        for one in extensions.values { one.events(.ended(termination)) }
        feed.finish()
    }

    var gone: BrokerError {
        BrokerError(
            .unreachable, what: "the daemon has ended or is shutting down", place: path,
            remedy: "connect again; `systemctl --user status annexd` shows whether it runs")
    }

    var misunderstanding: BrokerError {
        BrokerError(
            .unreachable, what: "the daemon's packet does not fit the request", place: path,
            remedy: "build the host and the daemon with the same wire version")
    }

    func unanswered(after limit: Duration) -> BrokerError {
        BrokerError(
            .unreachable, what: "the daemon did not answer within \(limit)", place: path,
            remedy: "reduce the machine's load, and check that no program has stopped annexd")
    }
}
