package import Synchronization

/// A slot in the process's file of slots. This value owns the slot. If the file is full or cannot be created, the slot
/// is in private memory, where no other process sees it.
@safe package struct SharedSlot: ~Copyable, Sendable {
    // SAFETY: an address is not Sendable by itself. This address is set once, and is valid until this value's end.
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
        // SAFETY: only this value uses the slot, and a layout keeps every word and text inside the slot.
        unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: layout.slotSize)
        for (place, text) in texts {
            for (offset, byte) in text.utf8.prefix(place.size - 1).enumerated() {
                unsafe start.storeBytes(of: byte, toByteOffset: place.offset + offset, as: UInt8.self)
            }
        }
        store(MonotonicClock.now(), in: SlotLayout.takenAt)
        // SYNC: the number is stored last. A reader that sees the number therefore sees the rest of the slot too.
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
        // SAFETY: a layout keeps every word inside the slot. Each word begins as zeros, and zeros are a valid atomic
        // value.
        unsafe start.assumingMemoryBound(to: Atomic<UInt64>.self) + word
    }

    /// SYNC: the store is relaxed, because readers read each word separately and only show it.
    package func store(_ value: UInt64, in word: Int) {
        // SAFETY: the word is aligned and lives as long as this value.
        unsafe address(of: word).pointee.store(value, ordering: .relaxed)
    }
}

/// A table of slots in memory that other processes of the same user can read while this process runs. Each slot
/// describes one object of this process, such as a running extension, and has one writer.
///
/// Readers find the table through `/proc/PID/fd`. The table therefore disappears with this process, however the process
/// ends.
@safe final class SlotFile: Sendable {
    private struct Slots {
        var free: [Int] = []
        var used = 0
        var lastNumber: UInt64 = 0
    }

    private let layout: SlotLayout
    private let memory: Descriptor
    private let mapping: Mapping
    private let slots = Mutex(Slots())

    private static let all = Mutex<[String: SlotFile]>([:])

    /// The only file of this layout in the process. The first call creates the file. Nil if it cannot be created.
    static func shared(_ layout: SlotLayout) -> SlotFile? {
        all.withLock { all in
            if all[layout.name] == nil { all[layout.name] = try? SlotFile(layout) }
            return all[layout.name]
        }
    }

    private init(_ layout: SlotLayout) throws(SystemError) {
        self.layout = layout
        memory = try Descriptor.memfd(layout.name, size: Int64(layout.fileSize))
        mapping = try Mapping(memory, size: layout.fileSize, writable: true)
        try mapping.keepFromChildren()
        try memory.addSeals(.oneWriter)
        let start = unsafe mapping.start
        let header = [layout.magic, layout.version, UInt32(layout.slotSize), UInt32(layout.slots)]
        for (place, value) in header.enumerated() {
            // SAFETY: the file's first slot is its header.
            unsafe start.storeBytes(of: value, toByteOffset: place * 4, as: UInt32.self)
        }
    }

    /// Gives a free slot to the caller, or nil if all slots are in use. The word for the slot's number is still 0. The
    /// other words still hold the values of the object that used the slot before.
    func take() -> (index: Int, number: UInt64, start: UnsafeMutableRawPointer)? {
        let taken = slots.withLock { slots -> (Int, UInt64)? in
            slots.lastNumber += 1
            if let index = slots.free.popLast() { return (index, slots.lastNumber) }
            guard slots.used < layout.slots else { return nil }
            slots.used += 1
            // SAFETY: this is an aligned word of the header.
            // SYNC: the store is relaxed. A reader may still find the old count, and its copy then lacks the new slot.
            // The reader's next copy contains the slot.
            unsafe (mapping.start + SlotLayout.used).assumingMemoryBound(to: Atomic<UInt64>.self).pointee
                .store(UInt64(slots.used), ordering: .relaxed)
            return (slots.used, slots.lastNumber)
        }
        guard let (index, number) = taken else { return nil }
        return unsafe (index, number, mapping.start + index * layout.slotSize)
    }

    /// Frees a slot. The call sets the slot's number to 0 before `take` can return the slot again.
    func free(_ index: Int) {
        // SAFETY: the index belongs to a slot of this file.
        let words = unsafe mapping.start + index * layout.slotSize
        unsafe words.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(0, ordering: .releasing)
        slots.withLock { $0.free.append(index) }
    }
}

/// The layout of a file of slots in memory: a header as large as a slot, then slots of equal size.
///
/// The header holds magic, version, slot size and number of slots, 32 bits each. The next 64 bits count the slots that
/// were ever in use. A slot begins with its number (0: free). The next word is the time at which the slot was taken, on
/// the monotonic clock.
package struct SlotLayout: Sendable {
    /// The position of a text in its slot: UTF-8, truncated to the size, padded with zeros.
    package struct Text: Sendable {
        package let offset: Int
        package let size: Int

        package init(offset: Int, size: Int) {
            self.offset = offset
            self.size = size
        }
    }

    /// The name of the memory. A reader finds the memory by this name among a process's descriptors.
    package let name: String
    package let magic: UInt32
    package let version: UInt32
    /// The size of a slot in bytes, a multiple of a cache line.
    package let slotSize: Int
    package let slots: Int

    package init(name: String, magic: UInt32, version: UInt32, slotSize: Int, slots: Int) {
        self.name = name
        self.magic = magic
        self.version = version
        self.slotSize = slotSize
        self.slots = slots
    }

    package var fileSize: Int { slotSize * (slots + 1) }

    /// The offset, in the header, of the count of slots that were ever in use.
    static let used = 16

    // The words of every slot.
    static let number = 0
    static let takenAt = 1
}
