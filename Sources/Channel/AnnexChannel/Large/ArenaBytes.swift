internal import AnnexLinux

/// An arena's memory: places of one piece each, behind a region's ring.
///
/// The owner of the mapping outlives every copy of this value.
@safe struct ArenaBytes: Sendable {
    // SAFETY: an address is not Sendable by itself; set once, and the region that owns the mapping outlives this value.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    /// How many there are; 0 where messages do not come in pieces.
    let places: UInt32

    /// `start` holds `size` bytes.
    init(start: UnsafeMutableRawPointer, size: UInt32) {
        unsafe self.start = start
        places = min(size >> WireFormat.pieceShift, WireFormat.mostPlaces)
    }

    /// Whether so many bytes are an arena's.
    static func isSize(_ size: UInt32) -> Bool {
        size & (WireFormat.pieceSize &- 1) == 0 && size <= WireFormat.mostPlaces &* WireFormat.pieceSize
    }

    // SAFETY, for both: `place` is below `places`, and no piece is longer than a place.
    private func address(_ place: UInt32) -> UnsafeMutableRawPointer {
        unsafe start.advanced(by: Int(truncatingIfNeeded: place &* WireFormat.pieceSize))
    }

    /// Copies a piece out, to `offset` bytes behind the target's start, whatever the other side does to it meanwhile.
    /// Only the copy is looked at.
    func copy(from place: UInt32, to target: UnsafeMutableRawPointer, offset: Int, count: Int) {
        unsafe SharedBytes.copy(to: target.advanced(by: offset), from: address(place), count: count)
    }

    /// Copies a piece in, at most a place's size.
    func copy(to place: UInt32, from source: UnsafeRawBufferPointer) {
        if let base = source.baseAddress {
            unsafe SharedBytes.copy(to: address(place), from: base, count: source.count)
        }
    }
}
