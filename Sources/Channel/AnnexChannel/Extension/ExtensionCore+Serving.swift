internal import AnnexLinux
internal import AnnexMessages

// Additions to `next` for a typed service. While a handler runs, the core uses neither the receiving half nor the
// sending half of the endpoint. So the handler may use the same endpoint.

extension ExtensionCore {
    /// Takes the next frame if it is a request without descriptors, and copies its payload into the buffer.
    /// - Returns: nil if the next frame is of another kind, if no frame came before the wait ended, or if a task is
    ///   ready.
    func nextPlainRequest(
        into buffer: borrowing RequestBuffer, if isServed: (UInt16) -> Bool
    ) throws(ExtensionFailure) -> CheckedHeader? {
        try checkFree()
        try checkLastAnswer()
        guard ahead.isEmpty, tasks.isIdle, !tasks.hasDueTimer else { return nil }
        do throws(ChannelViolation) {
            return try receiver.nextPlainRequest(into: buffer, if: isServed, until: tasks.deadline)
        } catch {
            throw .violated(error)
        }
    }

    /// Wakes the host if the host still sleeps although this side has published the last answer. While requests follow
    /// one another closely, no wake-up is needed. The next request then shows that the host has taken the answer.
    @inline(__always) private func checkLastAnswer() throws(ExtensionFailure) {
        guard let last = unchecked else { return }
        unchecked = nil
        if ahead.isEmpty, let next = receiver.callOfNextRequest(), last.isReceived(accordingTo: next) { return }
        if sender.wake(on: last.word) { try control.ring() }
    }

    /// Answers a request that `nextPlainRequest` returned, with the encoded response.
    func reply(to asked: CheckedHeader, _ encoder: borrowing MessageEncoder) throws {
        try checkFree()
        if let failure = encoder.failure {
            throw HandlerFailure(code: HandlerFailure.tooLargeCode, text: "the response is too large: \(failure)")
        }
        guard encoder.count <= largestPayload else {
            throw HandlerFailure(code: HandlerFailure.tooLargeCode, text: "the response is too large")
        }
        let header = FrameHeader(kind: .reply, method: asked.method, call: asked.call)
        let isAttended = asked.marks.contains(.attended)
        // SAFETY: the writer copies the bytes and keeps no reference.
        unchecked = encoder.withWritten { written in
            unsafe written.withUnsafeBytes {
                unsafe sender.publishUnchecked(header, payload: $0, isAttended: isAttended)
            }
        }
        guard unchecked == nil else { return }
        try encoder.withWritten { (written) throws(ExtensionFailure) in
            // SAFETY: as above.
            try unsafe written.withUnsafeBytes { (bytes) throws(ExtensionFailure) in
                try unsafe send(header, payload: bytes, isAttended: isAttended)
            }
        }
    }

    /// The next request or event that was already published; nil if there is none.
    func nextIfAny() throws(ExtensionFailure) -> Incoming? {
        while let frame = try nextFrame() {
            if let incoming = try incoming(frame) { return incoming }
        }
        return nil
    }
}

/// An extension's private copy of one request.
@safe struct RequestBuffer: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer

    init(capacity: Int) {
        unsafe memory = .allocate(byteCount: capacity, alignment: 64)
    }

    deinit {
        unsafe memory.deallocate()
    }

    /// Copies the payload of the reader's current frame.
    func load(_ header: CheckedHeader, from reader: borrowing RingReader) {
        // SAFETY: the header's length was checked to be at most half the ring, which is the buffer's capacity.
        if let target = unsafe memory.baseAddress { unsafe reader.copy(header, to: target) }
    }

    /// Lends the first `count` bytes that `load` has written.
    func read<Failure: Error>(_ count: UInt32, _ body: (RawSpan) throws(Failure) -> Void) throws(Failure) {
        // SAFETY: at most as many bytes as were loaded, lent only until `body` returns.
        try unsafe body(UnsafeRawBufferPointer(rebasing: memory.prefix(Int(count))).bytes)
    }
}
