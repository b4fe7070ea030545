internal import Synchronization

/// A table of slots in memory that other processes of the same user can read while this process runs. Each slot
/// describes one object of this process, such as a running extension, and has one writer.
///
/// Readers find it through `/proc/PID/fd`, so it disappears with the process, however that ends.
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

    /// The process's one file of this layout. The first call makes it; nil if it cannot be made.
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

    /// Gives a free slot to the caller; nil if all are in use. Its number is 0, and its other words are those of the
    /// former user.
    func take() -> (index: Int, number: UInt64, start: UnsafeMutableRawPointer)? {
        let taken = slots.withLock { slots -> (Int, UInt64)? in
            slots.lastNumber += 1
            if let index = slots.free.popLast() { return (index, slots.lastNumber) }
            guard slots.used < layout.slots else { return nil }
            slots.used += 1
            // SAFETY: an aligned word of the header.
            // SYNC: relaxed: a reader that misses the new count misses the new slot once, and sees it at its next copy.
            unsafe (mapping.start + SlotLayout.used).assumingMemoryBound(to: Atomic<UInt64>.self).pointee
                .store(UInt64(slots.used), ordering: .relaxed)
            return (slots.used, slots.lastNumber)
        }
        guard let (index, number) = taken else { return nil }
        return unsafe (index, number, mapping.start + index * layout.slotSize)
    }

    /// Frees a slot. Its number is cleared first.
    func free(_ index: Int) {
        // SAFETY: a slot of this file.
        let words = unsafe mapping.start + index * layout.slotSize
        unsafe words.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(0, ordering: .releasing)
        slots.withLock { $0.free.append(index) }
    }
}
