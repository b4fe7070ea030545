/// The memory that one call works in, kept for the next one. Used by one thread at a time.
@safe @usableFromInline final class CallWorkspace {
    // SAFETY: this object's alone from its beginning to its end. Behind a pointer, because an access to a stored property
    // of a class is checked when it runs, which costs more than encoding a number.
    @usableFromInline let encoder: UnsafeMutablePointer<MessageEncoder>
    // SAFETY: `capacity` bytes that this object alone owns; zeros from the start, so that any of them may be read.
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    /// Whether it is the one that its channel keeps.
    let isKept: Bool

    /// - Parameter replyCapacity: the most bytes that an answer can have.
    init(limits: MessageLimits, replyCapacity: Int, isKept: Bool) {
        unsafe encoder = .allocate(capacity: 1)
        unsafe encoder.initialize(to: MessageEncoder(limits: limits, capacity: 256))
        capacity = replyCapacity
        unsafe start = .allocate(byteCount: replyCapacity, alignment: 64)
        unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: replyCapacity)
        self.isKept = isKept
    }

    deinit {
        unsafe encoder.deinitialize(count: 1)
        unsafe encoder.deallocate()
        unsafe start.deallocate()
    }

    /// Where an answer is copied to.
    var room: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(start: start, count: capacity)
    }

    /// An answer that was copied.
    @usableFromInline func reply(_ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start, count: min(max(count, 0), capacity))
    }
}
