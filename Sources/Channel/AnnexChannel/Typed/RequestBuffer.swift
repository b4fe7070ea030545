/// An extension's private copy of one request.
@safe struct RequestBuffer: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer

    init(capacity: Int) {
        unsafe memory = .allocate(byteCount: capacity, alignment: 64)
    }

    deinit {
        unsafe memory.deallocate()
    }

    /// Copies the payload of the frame that the reader is at.
    func load(_ header: CheckedHeader, from reader: borrowing RingReader) {
        // SAFETY: no checked length is beyond half the ring, which is what there is room for.
        if let target = unsafe memory.baseAddress { unsafe reader.copy(header, to: target) }
    }

    /// Lends the first bytes, which `load` has written.
    func read<Failure: Error>(_ count: UInt32, _ body: (RawSpan) throws(Failure) -> Void) throws(Failure) {
        // SAFETY: as many as were loaded, and lent for the call only.
        try unsafe body(UnsafeRawBufferPointer(rebasing: memory.prefix(Int(count))).bytes)
    }
}
