internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexModel

/// A launched extension as its host's end of a connection knows it.
struct RemoteExtension: Sendable {
    let events: @Sendable (ExtensionEvent) -> Void
    /// What goes through its channel is counted there.
    private let channel: HostEndpoint
    /// Requests that the daemon has not heard of yet, oldest first.
    private var begun: [UInt64] = []
    /// Those that it takes for open and that are over.
    private var over: [UInt64] = []
    /// How many it takes for open.
    private var told = 0

    init(_ channel: HostEndpoint, events: @escaping @Sendable (ExtensionEvent) -> Void) {
        self.channel = channel
        self.events = events
    }

    /// What went through its channel so far.
    var counts: SessionStatistics { SessionStatistics(channel.counters) }

    mutating func began(_ request: UInt64) {
        begun.append(request)
    }

    /// One that began and ended while the socket had no room is nobody's business.
    mutating func ended(_ request: UInt64) {
        if let place = begun.firstIndex(of: request) { begun.remove(at: place) } else { over.append(request) }
    }

    /// What there is to say next.
    var news: ExtensionNotice? {
        if let request = over.first { return .requestEnded(request) }
        guard told < ServiceWire.mostOpenRequests, let request = begun.first else { return nil }
        return .requestBegan(request)
    }

    /// The news went out.
    mutating func isTold() {
        if over.isEmpty {
            begun.removeFirst()
            told += 1
        } else {
            over.removeFirst()
            told -= 1
        }
    }
}
