internal import AnnexLinux
internal import AnnexMessages

// What a typed service needs besides `next`. Neither half of the endpoint is held while a handler runs, so that the
// handler may use the same endpoint.

extension ExtensionCore {
    /// The next frame where it is a request that brings nothing but bytes: its payload is copied into the buffer.
    /// - Returns: nil where another frame is next, or nothing after a wait.
    func nextPlainRequest(
        into buffer: borrowing RequestBuffer, if isServed: (UInt16) -> Bool
    ) throws(ExtensionFailure) -> CheckedHeader? {
        try checkFree()
        guard ahead.isEmpty else { return nil }
        do throws(ChannelViolation) {
            return try receiver.nextPlainRequest(into: buffer, if: isServed)
        } catch {
            throw .violated(error)
        }
    }

    /// Answers a plain request with what was encoded.
    func reply(to asked: CheckedHeader, _ encoder: borrowing MessageEncoder) throws {
        if let failure = encoder.failure {
            throw HandlerFailure(code: HandlerFailure.tooLargeCode, text: "the response is too large: \(failure)")
        }
        guard encoder.count <= largestPayload else {
            throw HandlerFailure(code: HandlerFailure.tooLargeCode, text: "the response is too large")
        }
        let header = FrameHeader(kind: .reply, method: asked.method, call: asked.call)
        let isAttended = asked.marks.contains(.attended)
        // SAFETY: the writer copies the bytes and keeps nothing.
        let sent = encoder.withWritten { written in
            unsafe written.withUnsafeBytes { unsafe sender.publishAtOnce(header, $0, isAttended: isAttended) }
        }
        switch sent {
        case .published: return
        case .publishedAndRings: return try control.ring()
        case .notDone: break
        }
        try encoder.withWritten { (written) throws(ExtensionFailure) in
            // SAFETY: as above.
            try unsafe written.withUnsafeBytes { (bytes) throws(ExtensionFailure) in
                try unsafe send(header, bytes, isAttended: isAttended)
            }
        }
    }

    /// What is there now for a service; nil where nothing is.
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
