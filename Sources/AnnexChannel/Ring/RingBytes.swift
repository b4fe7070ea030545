internal import AnnexLinux
internal import CAnnexLinux

/// A ring's memory, addressed by positions that wrap: any position lies inside.
///
/// The owner of the mapping outlives every copy of this value.
@safe struct RingBytes: Sendable {
    // unsafe: an address is not Sendable by itself; set once, and the region that owns the mapping outlives this value.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    let capacity: UInt32
    /// So few bytes are copied without a call.
    private static let small = 256

    /// `start` holds `capacity` bytes, which is a power of two and a multiple of a frame's alignment.
    init(start: UnsafeMutableRawPointer, capacity: UInt32) {
        unsafe self.start = start
        self.capacity = capacity
    }

    private func offset(_ position: UInt32) -> Int {
        Int(truncatingIfNeeded: position & (capacity &- 1))
    }

    // SAFETY, for every header: positions of headers are multiples of a frame's alignment and the offset is masked, so
    // its words are aligned and inside.
    private func words(_ position: UInt32) -> UnsafeMutablePointer<UInt64> {
        unsafe (start + offset(position)).assumingMemoryBound(to: UInt64.self)
    }

    /// Looks whether a frame is there, without any order.
    func peek(at position: UInt32) -> UInt64 {
        unsafe annex_load_wide(words(position))
    }

    /// A header's first word. SYNC: acquires what the writer released with it, which is the frame.
    func firstWord(at position: UInt32) -> UInt64 {
        unsafe annex_load_wide_acquire(words(position))
    }

    func secondWord(at position: UInt32) -> UInt64 {
        unsafe annex_load_wide(words(position) + 1)
    }

    /// What a reader sleeps on while no frame is at `position`: the half of the header that no frame leaves 0.
    func bed(at position: UInt32) -> SharedWord {
        unsafe SharedWord(UnsafeRawPointer(words(position)).assumingMemoryBound(to: UInt32.self))
    }

    /// The same word, for the writer to wake whoever sleeps on it.
    func alarm(at position: UInt32) -> WritableWord {
        unsafe WritableWord(UnsafeMutableRawPointer(words(position)).assumingMemoryBound(to: UInt32.self))
    }

    /// Copies `count` bytes out. `count` is at most the capacity.
    func copy(from position: UInt32, to target: UnsafeMutableRawPointer, count: UInt32) {
        let first = min(count, capacity &- (position & (capacity &- 1)))
        // SAFETY: as below.
        if count <= RingBytes.small, first == count {
            return unsafe annex_copy_small(target, start + offset(position), Int(count))
        }
        // SAFETY: `first` bytes lie before the ring's end, the rest at its start.
        unsafe annex_copy_shared(target, start + offset(position), Int(first))
        if first < count { unsafe annex_copy_shared(target + Int(first), start, Int(count &- first)) }
    }

    /// Copies a buffer in, at most the capacity long.
    func copy(to position: UInt32, from source: UnsafeRawBufferPointer) {
        guard let base = source.baseAddress else { return }
        let first = min(source.count, Int(capacity) &- offset(position))
        // SAFETY: as below.
        if source.count <= RingBytes.small, first == source.count {
            return unsafe annex_copy_small(start + offset(position), base, first)
        }
        // SAFETY: `first` bytes lie before the ring's end, the rest at its start.
        unsafe annex_copy_shared(start + offset(position), base, first)
        if first < source.count {
            unsafe annex_copy_shared(start, base + first, source.count &- first)
        }
    }

    /// Makes sure that no reader takes what an earlier turn left here for a header.
    func clearHeader(at position: UInt32) {
        unsafe annex_store_wide(words(position), 0)
    }

    /// Writes the half of a header that does not publish.
    func storeSecondWord(_ word: UInt64, at position: UInt32) {
        unsafe annex_store_wide(words(position) + 1, word)
    }

    /// SYNC: releases the frame, which its reader acquires with this word.
    func publish(_ word: UInt64, at position: UInt32) {
        unsafe annex_store_wide_release(words(position), word)
    }

    /// Clears the bytes between a payload's end and the next frame, fewer than a frame's alignment: nothing of what
    /// this process wrote there earlier goes out a second time.
    func clear(from position: UInt32, count: UInt32) {
        // SAFETY: a gap ends at an aligned position, so it never wraps.
        unsafe (start + offset(position)).initializeMemory(as: UInt8.self, repeating: 0, count: Int(count))
    }
}
