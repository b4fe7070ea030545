/// The memory that one call works in, kept for the next one. Used by one thread at a time.
@safe @usableFromInline final class CallWorkspace {
    // SAFETY: this object's alone from its beginning to its end. Behind a pointer, because an access to a stored property
    // of a class is checked when it runs, which costs more than encoding a number.
    @usableFromInline let encoder: UnsafeMutablePointer<MessageEncoder>
    // SAFETY: `capacity` bytes that this object alone owns; zeros from the start, so that any of them may be read.
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    // SAFETY: as above; nil while no answer was larger than what is kept.
    private var large: UnsafeMutableRawBufferPointer?
    /// Whether it is the one that its channel keeps.
    let isKept: Bool

    /// - Parameter replyCapacity: the most bytes that an answer can have.
    init(limits: MessageLimits, replyCapacity: Int, isKept: Bool) {
        unsafe encoder = .allocate(capacity: 1)
        unsafe encoder.initialize(to: MessageEncoder(limits: limits, capacity: 256))
        capacity = replyCapacity
        // What is aligned to more than malloc gives, glibc takes from elsewhere and hardly uses again.
        unsafe start = .allocate(byteCount: replyCapacity, alignment: 16)
        unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: replyCapacity)
        self.isKept = isKept
    }

    deinit {
        unsafe encoder.deinitialize(count: 1)
        unsafe encoder.deallocate()
        unsafe start.deallocate()
        drop()
    }

    /// Where an answer is copied to.
    var room: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(start: start, count: capacity)
    }

    /// An answer that was copied.
    @usableFromInline func reply(_ count: Int) -> UnsafeRawBufferPointer {
        if let large = unsafe large { return UnsafeRawBufferPointer(large) }
        return unsafe UnsafeRawBufferPointer(start: start, count: min(max(count, 0), capacity))
    }

    /// Keeps an answer that may be longer than there is room for, until the workspace is given back.
    /// - Returns: how many bytes it has.
    func keep(_ answer: [UInt8]) -> Int {
        drop()
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: answer.count, alignment: 16)
        unsafe copy.copyBytes(from: answer)
        unsafe large = copy
        return answer.count
    }

    /// Lets go of what `keep` has kept.
    func drop() {
        unsafe large?.deallocate()
        unsafe large = nil
    }
}
