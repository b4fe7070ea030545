/// Tracks the free places of this side's arena. Only the writer knows which places are free.
///
/// A piece's place is returned together with its frame, because a reader that has read past the frame has copied the
/// piece. So no separate messages return places, and no place can be returned twice. A reader can withhold a place only
/// if it stops reading its ring.
struct ArenaWriter: ~Copyable, Sendable {
    private let bytes: ArenaBytes
    /// One bit for each free place.
    private var free: UInt64
    /// The places in use, in the order of their frames. Each place is stored with the end of its frame.
    private var used: [(end: UInt32, place: UInt32)] = []

    init(_ bytes: ArenaBytes) {
        self.bytes = bytes
        free = bytes.places >= 64 ? .max : 1 << UInt64(bytes.places) &- 1
        used.reserveCapacity(Int(bytes.places))
    }

    var hasFree: Bool { free != 0 }

    /// Takes back the places whose frames the other side has read.
    /// - Parameters:
    ///   - seen: the reader's position.
    ///   - position: the writer's position. The method compares how far `seen` and the ends of frames lie behind this
    ///     position, because positions may have wrapped since the last call. Once the reader has read everything, every
    ///     place is free again.
    mutating func reclaim(upTo seen: UInt32, of position: UInt32) {
        while let first = used.first, position &- first.end >= position &- seen {
            free |= 1 << UInt64(first.place)
            used.removeFirst()
        }
    }

    /// Copies a piece to the lowest free place. While the reader keeps up, the writer reuses the same few places, which
    /// are still in the caches of both processes.
    /// - Returns: the place.
    mutating func put(_ piece: UnsafeRawBufferPointer) -> UInt32 {
        let place = UInt32(truncatingIfNeeded: free.trailingZeroBitCount)
        unsafe bytes.copy(to: place, from: piece)
        return place
    }

    /// Marks the place as in use until the reader has read the frame that ends at `end`.
    mutating func markUsed(_ place: UInt32, until end: UInt32) {
        free &= ~(1 << UInt64(place))
        used.append((end, place))
    }
}
