internal import AnnexLinux
internal import Glibc

/// An extension's private memory for one request and one answer, each as large as its ring allows.
@safe struct RawBuffers: ~Copyable {
    private let request: UnsafeMutableRawBufferPointer
    private let reply: UnsafeMutableRawBufferPointer

    /// - Parameter least: room for an answer where there is no memory for the largest.
    init(request: Int, reply: Int, orElse least: Int) {
        unsafe self.request = .allocate(byteCount: request, alignment: 64)
        // Zeros: nothing of an earlier life of this memory may go out with an answer that was not written whole. What is
        // never written is no memory yet.
        let largest = unsafe calloc(1, reply)
        let start = unsafe largest ?? calloc(1, least)
        unsafe self.reply = UnsafeMutableRawBufferPointer(
            start: start, count: start == nil ? 0 : largest == nil ? least : reply)
    }

    deinit {
        unsafe request.deallocate()
        unsafe free(reply.baseAddress)
    }

    /// Copies the payload of the frame that the reader is at.
    func load(_ header: CheckedHeader, from reader: borrowing RingReader) {
        guard let target = unsafe request.baseAddress else { return }
        // SAFETY: no checked length is beyond half the ring, which is what there is room for.
        unsafe reader.copy(header, to: target)
    }

    /// Lends what was loaded.
    func message<Result>(_ header: CheckedHeader, _ body: (UInt16, RawSpan) -> Result) -> Result {
        // SAFETY: as long as what was loaded, and lent for the call only.
        let bytes = unsafe UnsafeRawBufferPointer(start: request.baseAddress, count: Int(header.length))
        return unsafe body(header.method, bytes.bytes)
    }

    /// Lets `body` answer what was loaded.
    /// - Returns: what `body` returned, and the answer's bytes.
    func answer(
        _ header: CheckedHeader, _ body: ExtensionCore.RawBody
    ) -> (count: Int, reply: UnsafeRawBufferPointer) {
        unsafe message(header) { method, message in unsafe answer(method, message, body) }
    }

    /// Lets `body` answer a message that lies elsewhere.
    func answer(
        _ method: UInt16, _ message: RawSpan, _ body: ExtensionCore.RawBody
    ) -> (count: Int, reply: UnsafeRawBufferPointer) {
        // SAFETY: this side's own memory, lent for the call only.
        var target = unsafe reply.mutableBytes
        let count = body(method, message, &target)
        let length = unsafe min(max(count, 0), reply.count)
        return unsafe (count, UnsafeRawBufferPointer(start: reply.baseAddress, count: length))
    }

    /// The payload of a failure without a text.
    func failure(_ code: UInt32) -> UnsafeRawBufferPointer {
        // SAFETY: the smallest ring's answer is far longer, and without memory for that nothing was served.
        unsafe reply.storeBytes(of: code.littleEndian, as: UInt32.self)
        return unsafe UnsafeRawBufferPointer(rebasing: reply.prefix(MemoryLayout<UInt32>.size))
    }
}
