/// The open streams of a host's endpoint.
struct HostStreams {
    /// A weak reference to a stream. A stream cancels itself when its last user drops it, so this table must not keep
    /// the stream alive.
    private struct Entry {
        weak var stream: ChannelStream?
    }

    /// The state of the stream with a number that came from the extension.
    enum Lookup {
        case open(ChannelStream)
        /// The stream was opened and is already over.
        case late
        case neverOpened
    }

    private var entries: [UInt64: Entry] = [:]
    /// The host's numbers are odd and the extension's numbers are even. Each side's numbers increase.
    private var lastOwn: UInt64 = 1
    private var lastPeer: UInt64 = 0
    /// How many frames may still arrive for streams that this side has dropped.
    private var forgone: UInt64 = 0
    /// Why no further stream can be opened; nil while the channel is open.
    private(set) var closed: CallFailure?

    var count: Int { entries.count }

    mutating func nextOwn() -> UInt64 {
        lastOwn &+= 2
        return lastOwn
    }

    /// Accepts the number of a stream that the extension opens.
    /// - Returns: false if the number is odd or not larger than the extension's last number.
    mutating func acceptPeer(_ id: UInt64) -> Bool {
        guard id & 1 == 0, id > lastPeer else { return false }
        lastPeer = id
        return true
    }

    mutating func insert(_ stream: ChannelStream) {
        entries.updateValue(Entry(stream: stream), forKey: stream.id)
    }

    /// - Returns: false if the channel is closed or has no room for another stream.
    mutating func admit(_ stream: ChannelStream, atMost most: Int) -> Bool {
        guard closed == nil, count < most else { return false }
        insert(stream)
        return true
    }

    func find(_ id: UInt64) -> Lookup {
        if let entry = entries.value(of: id) { return entry.stream.map(Lookup.open) ?? .late }
        return id <= (id & 1 == 0 ? lastPeer : lastOwn) && id > 1 ? .late : .neverOpened
    }

    /// - Parameter late: how many frames of the stream can still arrive.
    mutating func removeStream(_ id: UInt64, expecting late: UInt64) {
        guard entries.removeValue(forKey: id) != nil else { return }
        forgone &+= late
    }

    /// Whether a late frame is expected, because this side has dropped a stream. If so, the count of expected frames
    /// decreases by one.
    mutating func expectsLateFrame() -> Bool {
        guard forgone > 0 else { return false }
        forgone &-= 1
        return true
    }

    mutating func close(_ failure: CallFailure) -> [ChannelStream] {
        guard closed == nil else { return [] }
        closed = failure
        defer { entries = [:] }
        return entries.values.compactMap(\.stream)
    }
}
