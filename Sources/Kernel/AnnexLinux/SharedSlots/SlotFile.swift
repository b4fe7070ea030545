internal import Synchronization

/// What this process publishes about something it has many of, in memory that other processes of the same user can read
/// while it runs: one slot each, one writer.
///
/// It is found through `/proc/PID/fd`, so nothing of it is left when the process ends, however it ends.
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

    /// The process's one file of a layout, made by the first call; nil where this process lacks the means.
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

    /// A slot of the caller's alone, as whoever had it before left it but for its number, which is 0; nil when all are taken.
    func take() -> (index: Int, number: UInt64, start: UnsafeMutableRawPointer)? {
        let taken = slots.withLock { slots -> (Int, UInt64)? in
            slots.lastNumber += 1
            if let index = slots.free.popLast() { return (index, slots.lastNumber) }
            guard slots.used < layout.slots else { return nil }
            slots.used += 1
            // SAFETY: an aligned word of the header.
            // SYNC: relaxed: who sees a slot's number in time sees the slot, who does not sees it next time.
            unsafe (mapping.start + SlotLayout.used).assumingMemoryBound(to: Atomic<UInt64>.self).pointee
                .store(UInt64(slots.used), ordering: .relaxed)
            return (slots.used, slots.lastNumber)
        }
        guard let (index, number) = taken else { return nil }
        return unsafe (index, number, mapping.start + index * layout.slotSize)
    }

    /// Lets a slot go; its number says so first.
    func free(_ index: Int) {
        // SAFETY: a slot of this file.
        let words = unsafe mapping.start + index * layout.slotSize
        unsafe words.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(0, ordering: .releasing)
        slots.withLock { $0.free.append(index) }
    }
}
