internal import AnnexLinux
internal import CAnnexLinux

/// A ring's memory. Positions wrap around, so that every position lies inside the ring.
///
/// The owner of the mapping outlives every copy of this value. All functions for small frames are inlined, because they
/// are most of a call's cost.
@safe struct RingBytes: Sendable {
    // SAFETY: an address is not Sendable by itself. This address is set once, and the region that owns the mapping
    // outlives this value.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    let capacity: UInt32
    /// The most bytes that are copied inline, without a function call.
    static let small = 256

    /// - Parameter start: the address of `capacity` bytes. `capacity` is a power of two and a multiple of a frame's
    ///   alignment.
    init(start: UnsafeMutableRawPointer, capacity: UInt32) {
        unsafe self.start = start
        self.capacity = capacity
    }

    @inline(__always) private func offset(_ position: UInt32) -> Int {
        Int(truncatingIfNeeded: position & (capacity &- 1))
    }

    // SAFETY: the offset is masked, so it lies inside the ring.
    @inline(__always) private func place(_ position: UInt32) -> UnsafeMutableRawPointer {
        unsafe start.advanced(by: offset(position))
    }

    // SAFETY, for every header: positions of headers are multiples of a frame's alignment, and the offset is masked. So
    // the words are aligned and lie inside the ring.
    @inline(__always) private func words(_ position: UInt32) -> UnsafeMutablePointer<UInt64> {
        unsafe place(position).assumingMemoryBound(to: UInt64.self)
    }

    /// A header's first word, read without ordering. It only shows whether a frame may have been published.
    @inline(__always) func peek(at position: UInt32) -> HostileWord {
        unsafe HostileWord(annex_load_wide(words(position)))
    }

    /// Fills a small frame that does not wrap. The header's first word, which publishes the frame, is not written.
    @inline(__always) func fill(from place: UInt32, to end: UInt32, call: UInt64, _ payload: UnsafeRawBufferPointer) {
        // SAFETY: the caller's frame lies between these positions, and its payload leaves room for the header.
        let body = unsafe self.place(place).advanced(by: Int(truncatingIfNeeded: WireFormat.headerSize))
        if let base = payload.baseAddress { unsafe annex_copy_small(body, base, payload.count) }
        let size = Int(truncatingIfNeeded: end &- place &- WireFormat.headerSize)
        unsafe annex_clear_small(body.advanced(by: payload.count), size &- payload.count)
        storeSecondWord(call, at: place)
    }

    /// Whether `count` bytes from `position` on can be copied inline: they are at most `small` bytes and do not wrap.
    @inline(__always) func isSmall(_ count: UInt32, at position: UInt32) -> Bool {
        count <= RingBytes.small && count <= capacity &- (position & (capacity &- 1))
    }

    /// A header's first word. SYNC: acquires the frame, which the writer released with this word.
    @inline(__always) func firstWord(at position: UInt32) -> HostileWord {
        unsafe HostileWord(annex_load_wide_acquire(words(position)))
    }

    @inline(__always) func secondWord(at position: UInt32) -> UInt64 {
        unsafe annex_load_wide(words(position).advanced(by: 1))
    }

    /// The word on which a reader sleeps while no frame is at `position`. This word is the half of the header's first
    /// word that is never 0 in a frame.
    @inline(__always) func bed(at position: UInt32) -> SharedWord {
        unsafe SharedWord(UnsafeRawPointer(words(position)).assumingMemoryBound(to: UInt32.self))
    }

    /// The same word as `bed`. The writer uses it to wake a reader that sleeps on the word.
    @inline(__always) func alarm(at position: UInt32) -> WritableWord {
        unsafe WritableWord(UnsafeMutableRawPointer(words(position)).assumingMemoryBound(to: UInt32.self))
    }

    /// Copies `count` bytes out of the ring. `count` is at most the capacity.
    @inline(__always) func copy(from position: UInt32, to target: UnsafeMutableRawPointer, count: UInt32) {
        // SAFETY: `isSmall` has checked that all bytes lie before the ring's end.
        if isSmall(count, at: position) {
            unsafe annex_copy_small(target, place(position), Int(truncatingIfNeeded: count))
        } else {
            unsafe copyLarge(from: position, to: target, count: count)
        }
    }

    /// Copies a buffer into the ring. The buffer is not longer than the capacity.
    @inline(__always) func copy(to position: UInt32, from source: UnsafeRawBufferPointer) {
        guard let base = source.baseAddress else { return }
        // SAFETY: `isSmall` has checked that all bytes lie before the ring's end.
        if isSmall(UInt32(truncatingIfNeeded: source.count), at: position) {
            unsafe annex_copy_small(place(position), base, source.count)
        } else {
            unsafe copyLarge(to: position, from: source)
        }
    }

    @inline(never) private func copyLarge(from position: UInt32, to target: UnsafeMutableRawPointer, count: UInt32) {
        let first = min(count, capacity &- (position & (capacity &- 1)))
        // SAFETY: `first` bytes lie before the ring's end, the rest at its start.
        unsafe annex_copy_shared(target, place(position), Int(truncatingIfNeeded: first))
        guard first < count else { return }
        let rest = unsafe target.advanced(by: Int(truncatingIfNeeded: first))
        unsafe annex_copy_shared(rest, start, Int(truncatingIfNeeded: count &- first))
    }

    @inline(never) private func copyLarge(to position: UInt32, from source: UnsafeRawBufferPointer) {
        guard let base = source.baseAddress else { return }
        let first = min(source.count, Int(truncatingIfNeeded: capacity) &- offset(position))
        // SAFETY: `first` bytes lie before the ring's end, the rest at its start.
        unsafe annex_copy_shared(place(position), base, first)
        if first < source.count {
            unsafe annex_copy_shared(start, base.advanced(by: first), source.count &- first)
        }
    }

    /// Clears old bytes, so that no reader mistakes them for a header.
    @inline(__always) func clearHeader(at position: UInt32) {
        unsafe annex_store_wide(words(position), 0)
    }

    /// Writes a header's second word, which does not publish the frame.
    @inline(__always) func storeSecondWord(_ word: UInt64, at position: UInt32) {
        unsafe annex_store_wide(words(position).advanced(by: 1), word)
    }

    /// Publishes a frame. SYNC: releases the frame, which its reader acquires with this word.
    @inline(__always) func publish(_ word: UInt64, at position: UInt32) {
        unsafe annex_store_wide_release(words(position), word)
    }

    /// Clears the bytes between a payload's end and the next frame. There are fewer of these bytes than a frame's
    /// alignment. If this gap were not cleared, the other side would see bytes of older frames there again.
    @inline(__always) func clear(from position: UInt32, count: UInt32) {
        // SAFETY: a gap ends at an aligned position, so it never wraps.
        unsafe annex_clear_small(place(position), Int(truncatingIfNeeded: count))
    }
}
