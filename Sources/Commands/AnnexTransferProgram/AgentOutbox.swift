internal import AnnexTransferWire

/// News that wait until the broker's queue has room. A job's older progress gives way to its newer progress.
struct AgentOutbox {
    /// So many news may wait. Beyond that, the agent takes no orders, so that a broker that does not read cannot fill the
    /// agent's memory.
    private static let most = 256

    private var news: [TransferNews] = []

    var isEmpty: Bool { news.isEmpty }
    var isFull: Bool { news.count >= Self.most }

    mutating func add(_ one: TransferNews) {
        if case .progress(let progress) = one {
            news.removeAll { if case .progress(let older) = $0 { older.key == progress.key } else { false } }
        }
        news.append(one)
    }

    /// Sends what the queue has room for.
    mutating func send(by socket: borrowing TransferAgentSocket) throws(TransferSocketError) {
        var sent = 0
        defer { news.removeFirst(sent) }
        for one in news {
            do throws(TransferSocketError) {
                try socket.send(one)
            } catch {
                if error.isLackOfRoom { return }
                throw error
            }
            sent += 1
        }
    }
}
