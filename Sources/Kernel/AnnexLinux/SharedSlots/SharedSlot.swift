package import Synchronization

/// A slot in the process's file of slots, owned by this value. If the file is full or cannot be made, the slot lies in
/// private memory, where no other process sees it.
@safe package struct SharedSlot: ~Copyable, Sendable {
    // SAFETY: an address is not Sendable by itself; set once, valid until this value's end.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    private let place: (file: SlotFile, index: Int)?
    /// A number that this process never uses twice; 0 if no other process sees the slot.
    package let number: UInt64

    /// - Parameter texts: the texts that never change, each with its position.
    package init(_ layout: SlotLayout, texts: [(place: SlotLayout.Text, text: String)]) {
        if let file = SlotFile.shared(layout), let (index, number, start) = unsafe file.take() {
            unsafe self.start = start
            place = (file, index)
            self.number = number
        } else {
            unsafe start = .allocate(byteCount: layout.slotSize, alignment: 64)
            place = nil
            number = 0
        }
        // SAFETY: the slot is this value's alone, and a layout keeps every word and text inside it.
        unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: layout.slotSize)
        for (place, text) in texts {
            for (offset, byte) in text.utf8.prefix(place.size - 1).enumerated() {
                unsafe start.storeBytes(of: byte, toByteOffset: place.offset + offset, as: UInt8.self)
            }
        }
        store(MonotonicClock.now(), in: SlotLayout.takenAt)
        // SYNC: stored last, so that a reader that sees the number sees the rest of its slot.
        unsafe address(of: SlotLayout.number).pointee.store(number, ordering: .releasing)
    }

    deinit {
        if let place {
            place.file.free(place.index)
        } else {
            unsafe start.deallocate()
        }
    }

    /// The address of one of the slot's words. It is valid for as long as this value lives.
    package func address(of word: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        // SAFETY: a layout keeps every word inside the slot, whose memory is zeros, a valid count.
        unsafe start.assumingMemoryBound(to: Atomic<UInt64>.self) + word
    }

    /// SYNC: relaxed: each word is read by itself, and only ever shown.
    package func store(_ value: UInt64, in word: Int) {
        // SAFETY: the word is aligned and lives as long as this value.
        unsafe address(of: word).pointee.store(value, ordering: .relaxed)
    }
}
