/// The streams of a host's endpoint that are not over.
struct HostStreams {
    /// A stream that nobody holds any more cancels itself: the table must not keep it.
    private struct Entry {
        weak var stream: ChannelStream?
    }

    /// What a number from the wire can mean.
    enum Lookup {
        case open(ChannelStream)
        /// Once opened, over since.
        case late
        case neverOpened
    }

    private var entries: [UInt64: Entry] = [:]
    /// The host's numbers are odd, the extension's even, and each side's grow.
    private var lastOwn: UInt64 = 1
    private var lastPeer: UInt64 = 0
    /// Frames that may still come for streams that this side let go of.
    private var forgone: UInt64 = 0
    /// Why no stream can be opened any more.
    private(set) var closed: CallFailure?

    var count: Int { entries.count }

    mutating func nextOwn() -> UInt64 {
        lastOwn &+= 2
        return lastOwn
    }

    /// Takes a number that the extension opens a stream with.
    /// - Returns: whether it may: even, and larger than the last.
    mutating func acceptPeer(_ id: UInt64) -> Bool {
        guard id & 1 == 0, id > lastPeer else { return false }
        lastPeer = id
        return true
    }

    mutating func insert(_ stream: ChannelStream) {
        entries.updateValue(Entry(stream: stream), forKey: stream.id)
    }

    /// - Returns: false where the channel is closed or has no room for one more.
    mutating func admit(_ stream: ChannelStream, atMost most: Int) -> Bool {
        guard closed == nil, count < most else { return false }
        insert(stream)
        return true
    }

    func find(_ id: UInt64) -> Lookup {
        if let entry = entries.value(of: id) { return entry.stream.map(Lookup.open) ?? .late }
        return id <= (id & 1 == 0 ? lastPeer : lastOwn) && id > 1 ? .late : .neverOpened
    }

    /// - Parameter owed: what its other side could still have sent.
    mutating func takeOut(_ id: UInt64, forgoing owed: UInt32?) {
        guard entries.removeValue(forKey: id) != nil else { return }
        // Each message costs 16 at least; credit, finish and reset come besides.
        if let owed { forgone &+= UInt64(owed / 16) &+ UInt64(owed / 16) &+ 4 }
    }

    /// Whether a late frame is one that had to be expected.
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
