/// How a file of slots lies in memory: a header as large as a slot, then slots of one size.
///
/// The header holds magic, version, slot size and number of slots, 32 bits each. A count of 64 bits follows: how many
/// slots were ever in use. A slot begins with its number (0: free), then when it was taken, on the monotonic clock.
package struct SlotLayout: Sendable {
    /// The position of a text in its slot: UTF-8, cut to what fits, filled up with zeros.
    package struct Text: Sendable {
        package let offset: Int
        package let size: Int

        package init(offset: Int, size: Int) {
            self.offset = offset
            self.size = size
        }
    }

    /// The name of the memory, by which a reader finds it among a process's descriptors.
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

    /// The header's offset of the count of slots that were ever in use.
    static let used = 16

    // The words of every slot.
    static let number = 0
    static let takenAt = 1
}
