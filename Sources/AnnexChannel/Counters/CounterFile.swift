internal import AnnexLinux
internal import Synchronization

/// The counts of this process's channels, in memory that other processes of the same user can read while it runs.
///
/// It is found through `/proc/PID/fd`, so nothing of it is left when the process ends, however it ends.
@safe final class CounterFile: Sendable {
    private struct Slots {
        var free: [Int] = []
        var used = 0
        var lastNumber: UInt64 = 0
    }

    private let memory: Descriptor
    private let mapping: Mapping
    private let slots = Mutex(Slots())

    private static let one = Mutex<CounterFile?>(nil)

    /// The process's one file, made by the first call; nil where this process lacks the means.
    static func shared() -> CounterFile? {
        one.withLock { file in
            if file == nil { file = try? CounterFile() }
            return file
        }
    }

    private init() throws(SystemError) {
        memory = try Descriptor.memfd(CounterLayout.name, size: Int64(CounterLayout.fileSize))
        mapping = try Mapping(memory, size: CounterLayout.fileSize, writable: true)
        try mapping.keepFromChildren()
        try memory.addSeals(.oneWriter)
        let start = unsafe mapping.start
        for (place, value) in [
            CounterLayout.magic, CounterLayout.version, UInt32(CounterLayout.slotSize), UInt32(CounterLayout.slots),
        ].enumerated() {
            // SAFETY: the file's first slot is its header.
            unsafe start.storeBytes(of: value, toByteOffset: place * 4, as: UInt32.self)
        }
    }

    /// A slot for a new channel; nil when all are taken.
    func take(label: String) -> (index: Int, words: UnsafeMutableRawPointer)? {
        let taken = slots.withLock { slots -> (Int, UInt64)? in
            slots.lastNumber += 1
            if let index = slots.free.popLast() { return (index, slots.lastNumber) }
            guard slots.used < CounterLayout.slots else { return nil }
            slots.used += 1
            return (slots.used, slots.lastNumber)
        }
        guard let (index, number) = taken else { return nil }
        let words = unsafe mapping.start + index * CounterLayout.slotSize
        unsafe prepare(words, number, label)
        return unsafe (index, words)
    }

    /// Lets a slot go; its number says so first.
    func free(_ index: Int) {
        // SAFETY: a slot of this file.
        let words = unsafe mapping.start + index * CounterLayout.slotSize
        unsafe words.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(0, ordering: .releasing)
        slots.withLock { $0.free.append(index) }
    }

    private func prepare(_ slot: UnsafeMutableRawPointer, _ number: UInt64, _ label: String) {
        // SAFETY: the slot is this caller's alone, and `CounterLayout` keeps every offset inside it.
        unsafe slot.initializeMemory(as: UInt8.self, repeating: 0, count: CounterLayout.slotSize)
        for (place, byte) in label.utf8.prefix(CounterLayout.labelSize - 1).enumerated() {
            unsafe slot.storeBytes(of: byte, toByteOffset: CounterLayout.label + place, as: UInt8.self)
        }
        let words = unsafe slot.assumingMemoryBound(to: Atomic<UInt64>.self)
        unsafe words[CounterLayout.openedAt].store(MonotonicClock.now(), ordering: .relaxed)
        // SYNC: last, so that a reader that sees the number sees the rest of its slot.
        unsafe words[CounterLayout.number].store(number, ordering: .releasing)
    }
}
