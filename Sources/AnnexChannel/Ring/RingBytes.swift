internal import AnnexLinux

/// A ring's memory, addressed by positions that wrap: any position lies inside.
///
/// The owner of the mapping outlives every copy of this value.
@safe struct RingBytes: Sendable {
    // unsafe: an address is not Sendable by itself; set once, and the region that owns the mapping outlives this value.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    let capacity: UInt32

    /// `start` holds `capacity` bytes, which is a power of two and a multiple of a frame's alignment.
    init(start: UnsafeMutableRawPointer, capacity: UInt32) {
        unsafe self.start = start
        self.capacity = capacity
    }

    private func offset(_ position: UInt32) -> Int {
        Int(truncatingIfNeeded: position & (capacity &- 1))
    }

    /// The two words of a header. Positions of headers are aligned, so a header never wraps.
    func words(at position: UInt32) -> (UInt64, UInt64) {
        // SAFETY: aligned and inside, because the offset is masked and the position a multiple of 16.
        let words = unsafe (start + offset(position)).assumingMemoryBound(to: UInt64.self)
        return unsafe (SharedBytes.load(words), SharedBytes.load(words + 1))
    }

    /// Copies `count` bytes out. `count` is at most the capacity.
    func copy(from position: UInt32, to target: UnsafeMutableRawPointer, count: UInt32) {
        let first = min(count, capacity &- (position & (capacity &- 1)))
        // SAFETY: `first` bytes lie before the ring's end, the rest at its start.
        unsafe SharedBytes.copy(to: target, from: start + offset(position), count: Int(first))
        if first < count { unsafe SharedBytes.copy(to: target + Int(first), from: start, count: Int(count &- first)) }
    }

    /// Copies a buffer in, at most the capacity long.
    func copy(to position: UInt32, from source: UnsafeRawBufferPointer) {
        guard let base = source.baseAddress else { return }
        let first = min(source.count, Int(capacity) &- offset(position))
        // SAFETY: `first` bytes lie before the ring's end, the rest at its start.
        unsafe SharedBytes.copy(to: start + offset(position), from: base, count: first)
        if first < source.count {
            unsafe SharedBytes.copy(to: start, from: base + first, count: source.count &- first)
        }
    }

    /// Writes a header's words.
    func store(_ first: UInt64, _ second: UInt64, at position: UInt32) {
        let place = unsafe start + offset(position)
        // SAFETY: aligned and inside, as in `words`.
        unsafe place.storeBytes(of: first, as: UInt64.self)
        unsafe (place + 8).storeBytes(of: second, as: UInt64.self)
    }

    /// Clears the bytes between a payload's end and the next frame, fewer than a frame's alignment: nothing of what
    /// this process wrote there earlier goes out a second time.
    func clear(from position: UInt32, count: UInt32) {
        // SAFETY: a gap ends at an aligned position, so it never wraps.
        unsafe (start + offset(position)).initializeMemory(as: UInt8.self, repeating: 0, count: Int(count))
    }
}
