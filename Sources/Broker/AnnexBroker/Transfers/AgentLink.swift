internal import AnnexLinux
internal import AnnexTransferWire
internal import Synchronization

/// The keeper's end of the connection to one agent. A thread reads the agent's news.
final class AgentLink: Sendable {
    enum Event: Sendable {
        case news(TransferNews)
        /// The agent has ended. This event comes last.
        case ended(String)
    }

    private struct State {
        var running: (any RunningTransferAgent)?
        /// News that the row has not handled yet.
        var waiting = 0
        /// The rule that the agent has broken.
        var fault: String?
        var isOver = false
    }

    /// The most news that wait. Beyond that, the agent's news stay in the socket.
    private static let most = 256

    private let socket: TransferBrokerSocket
    private let row: Lane.Row
    private let handler: @Sendable (AgentLink, Event) -> Void
    private let state = Mutex(State())
    /// Where the reading thread waits until the row has handled news.
    private let bed = Parker()

    private init(
        _ socket: consuming TransferBrokerSocket, row: Lane.Row,
        handler: @escaping @Sendable (AgentLink, Event) -> Void
    ) {
        self.socket = socket
        self.row = row
        self.handler = handler
    }

    /// Starts an agent.
    /// - Parameter handler: called in the row, one call after another.
    static func start(
        _ starter: any TransferAgentStarter, row: Lane.Row, handler: @escaping @Sendable (AgentLink, Event) -> Void
    ) throws(AgentStartFailure) -> AgentLink {
        let (link, peer) = try connected(row: row, handler: handler)
        let running = try starter.start(peer.take()) { why in link.agentEnded(why) }
        let isOver = link.state.withLock { state in
            state.running = running
            return state.isOver
        }
        if isOver { running.end() }
        return link
    }

    /// The agent's end of a connection, which is taken once.
    private final class Peer: Sendable {
        private let descriptor: Mutex<Descriptor?>

        init(_ descriptor: consuming Descriptor) { self.descriptor = Mutex(descriptor) }

        func take() throws(AgentStartFailure) -> Descriptor {
            if let descriptor = descriptor.withLock({ $0.take() }) { return descriptor }
            throw AgentStartFailure(cause: "the connection is in use", remedy: nil)
        }
    }

    private static func connected(
        row: Lane.Row, handler: @escaping @Sendable (AgentLink, Event) -> Void
    ) throws(AgentStartFailure) -> (AgentLink, Peer) {
        do throws(SystemError) {
            let ends = try ControlSocketPair()
            let own = try ends.host.descriptor.duplicate()
            try own.stopBlocking()
            let link = AgentLink(TransferBrokerSocket(owning: own), row: row, handler: handler)
            let peer = Peer(try ends.peer.descriptor.duplicate())
            _ = try WorkerThread("annex-agent") { link.read() }
            return (link, peer)
        } catch {
            throw AgentStartFailure(cause: error.cause, remedy: error.remedy)
        }
    }

    // MARK: Orders

    /// - Returns: false if the order could not be sent.
    func send(_ order: TransferOrder, with files: borrowing DescriptorList = DescriptorList()) -> Bool {
        do throws(TransferSocketError) {
            try socket.send(order, with: files)
            return true
        } catch {
            return false
        }
    }

    /// Ends the agent.
    /// - Parameter fault: the rule that the agent has broken; nil if it has broken none.
    func end(_ fault: String?) {
        let running = state.withLock { state in
            state.isOver = true
            state.fault = state.fault ?? fault
            return state.running
        }
        bed.unpark()
        socket.socket.shutDown()
        running?.end()
    }

    private func agentEnded(_ why: String) {
        let fault = state.withLock { state in
            state.isOver = true
            return state.fault
        }
        bed.unpark()
        socket.socket.shutDown()
        row.run { [self] in handler(self, .ended(fault ?? why)) }
    }

    // MARK: News

    private func read() {
        while let news = next() {
            // SYNC: the row lowers the number under the lock before it wakes this thread. So either this thread sees the
            // lower number, or it is woken.
            while state.withLock({ $0.waiting >= Self.most && !$0.isOver }) { bed.park(until: nil) }
            state.withLock { $0.waiting += 1 }
            row.run { [self] in
                handler(self, .news(news))
                let hasRoom = state.withLock { state in
                    state.waiting -= 1
                    return state.waiting == Self.most - 1
                }
                if hasRoom { bed.unpark() }
            }
        }
    }

    /// The agent's next news; nil if there will be no more.
    private func next() -> TransferNews? {
        while true {
            do throws(TransferSocketError) {
                switch try socket.receive() {
                case .message(let news, _): return news
                case .nothing: socket.socket.descriptor.waitUntilReadable(until: .max)
                case .end:
                    // An agent without a connection has no use.
                    end(nil)
                    return nil
                }
            } catch {
                end("\(error)")
                return nil
            }
        }
    }
}
