/// The memory that one typed call works in, kept for the next one. Used by one thread at a time.
@safe final class CallWorkspace {
    var encoder: MessageEncoder
    // SAFETY: `capacity` bytes that this object alone owns; zeros from the start, so that any of them may be read.
    private let start: UnsafeMutableRawPointer
    private let capacity: Int

    /// - Parameter replyCapacity: the most bytes that an answer can have.
    init(limits: MessageLimits, replyCapacity: Int) {
        encoder = MessageEncoder(limits: limits, capacity: 256)
        capacity = replyCapacity
        unsafe start = .allocate(byteCount: replyCapacity, alignment: 64)
        unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: replyCapacity)
    }

    deinit {
        unsafe start.deallocate()
    }

    /// Where an answer is copied to.
    var reply: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(start: start, count: capacity)
    }
}
