/// How a file of slots lies in memory: a header that fills the first slot's place, then slots of one size.
///
/// A header holds its magic, version, slot size and number of slots, 32 bits each, then in 64 bits how many slots were
/// ever taken. A slot begins with its number (0: free) and when it was taken, on the monotonic clock.
package struct SlotLayout: Sendable {
    /// Where a text lies in its slot: UTF-8, cut to what fits, zeros behind it.
    package struct Text: Sendable {
        package let offset: Int
        package let size: Int

        package init(offset: Int, size: Int) {
            self.offset = offset
            self.size = size
        }
    }

    /// The memory's name, by which a reader finds it among a process's descriptors.
    package let name: String
    package let magic: UInt32
    package let version: UInt32
    /// Bytes of a slot, a multiple of a cache line's.
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

    /// Of the header: where it says how many slots were ever taken.
    static let used = 16

    // Words of every slot.
    static let number = 0
    static let takenAt = 1
}
