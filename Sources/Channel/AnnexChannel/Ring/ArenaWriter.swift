/// Which places of this side's arena are free: known to their writer alone.
///
/// A piece's place comes back with its frame: once the other side says that it has read so far, it has copied the piece.
/// So nothing has to be said of places, nothing can be given back twice, and what is never given back is a ring that is
/// never read.
struct ArenaWriter: ~Copyable, Sendable {
    private let bytes: ArenaBytes
    /// One bit for each place.
    private var free: UInt64
    /// The places in use, in the order of their frames, each with its frame's end.
    private var used: [(end: UInt32, place: UInt32)] = []

    init(_ bytes: ArenaBytes) {
        self.bytes = bytes
        free = bytes.places >= 64 ? .max : 1 << UInt64(bytes.places) &- 1
        used.reserveCapacity(Int(bytes.places))
    }

    var hasFree: Bool { free != 0 }

    /// Takes back the places whose frames the other side has read.
    /// - Parameters:
    ///   - seen: how far it says it has.
    ///   - position: how far this side has written. Told by the distance from here: a place may be asked after only when
    ///     positions have gone round, and once everything is read, every place is back.
    mutating func takeBack(upTo seen: UInt32, of position: UInt32) {
        while let first = used.first, position &- first.end >= position &- seen {
            free |= 1 << UInt64(first.place)
            used.removeFirst()
        }
    }

    /// Copies a piece to a free place: the lowest, so that while the reader keeps up, only what both caches still hold is
    /// written.
    mutating func put(_ piece: UnsafeRawBufferPointer) -> UInt32 {
        let place = UInt32(truncatingIfNeeded: free.trailingZeroBitCount)
        unsafe bytes.copy(to: place, from: piece)
        return place
    }

    /// The place is in use until the frame that ends here has been read.
    mutating func note(_ place: UInt32, until end: UInt32) {
        free &= ~(1 << UInt64(place))
        used.append((end, place))
    }
}
