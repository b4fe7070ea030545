internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexModel

/// The host's record of an extension that a daemon launched.
struct RemoteExtension: Sendable {
    let events: @Sendable (ExtensionEvent) -> Void
    /// The host's end of the extension's channel, which counts what goes through it.
    private let channel: HostEndpoint
    /// Requests that were not reported to the daemon yet, oldest first.
    private var begun: [UInt64] = []
    /// Requests that have ended and that the daemon still counts as open.
    private var over: [UInt64] = []
    /// How many requests the daemon counts as open.
    private var told = 0

    init(_ channel: HostEndpoint, events: @escaping @Sendable (ExtensionEvent) -> Void) {
        self.channel = channel
        self.events = events
    }

    /// The messages and bytes that went through the channel so far.
    var counts: SessionStatistics { SessionStatistics(channel.counters) }

    mutating func began(_ request: UInt64) {
        begun.append(request)
    }

    /// A request that began and ended while the socket had no room is never reported.
    mutating func ended(_ request: UInt64) {
        if let place = begun.firstIndex(of: request) { begun.remove(at: place) } else { over.append(request) }
    }

    /// The next report to send; nil if there is none, or no room for one more open request.
    var news: ExtensionNotice? {
        if let request = over.first { return .requestEnded(request) }
        guard told < ServiceWire.mostOpenRequests, let request = begun.first else { return nil }
        return .requestBegan(request)
    }

    /// Removes the report that was just sent.
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
