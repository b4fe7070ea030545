internal import AnnexLinux
internal import Synchronization

/// A channel's own place in the counter file; in memory of its own where there is no room.
@safe struct CounterSlot: ~Copyable, Sendable {
    // unsafe: an address is not Sendable by itself; set once, valid until this value's end.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    private let place: (file: CounterFile, index: Int)?

    init(label: String) {
        if let file = CounterFile.shared(), let (index, words) = unsafe file.take(label: label) {
            unsafe start = words
            place = (file, index)
        } else {
            unsafe start = .allocate(byteCount: CounterLayout.slotSize, alignment: 64)
            unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: CounterLayout.slotSize)
            place = nil
        }
    }

    deinit {
        if let place {
            place.file.free(place.index)
        } else {
            unsafe start.deallocate()
        }
    }

    /// One of its words.
    func counter(_ word: Int) -> Counter {
        // SAFETY: `CounterLayout` keeps every word inside the slot, whose memory is zeros, a valid count.
        unsafe Counter(start.assumingMemoryBound(to: Atomic<UInt64>.self) + word)
    }
}
