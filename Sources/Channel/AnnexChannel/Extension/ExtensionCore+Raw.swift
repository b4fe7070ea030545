internal import AnnexLinux

extension ExtensionCore {
    typealias RawBody = (UInt16, RawSpan, inout MutableRawSpan) -> Int
    typealias RawPost = (UInt16, RawSpan) -> Bool

    /// Answers requests until `post` returns false.
    func serve(_ body: RawBody, post: RawPost) throws(ExtensionFailure) {
        try checkFree()
        let buffers = try RawBuffers(request: largestRequest, reply: largestPayload, orElse: largestFrame)
        while true {
            if ahead.isEmpty {
                isServingRaw = true
                defer { isServingRaw = false }
                if try RawServing.serve(
                    &receiver, sender: &sender, control: control, buffers: buffers, body: body, post: post)
                {
                    return
                }
            }
            guard let frame = try nextFrame() else { continue }
            if try !serve(frame, buffers: buffers, body: body, post: post) { return }
        }
    }

    /// Serves a frame that the fast loop (`RawServing.serve`) does not handle, or that was read early and kept.
    /// - Returns: false when `post` returns false.
    private func serve(
        _ frame: consuming Frame, buffers: borrowing RawBuffers, body: RawBody, post: RawPost
    ) throws(ExtensionFailure) -> Bool {
        guard let incoming = try incoming(frame) else { return true }
        switch consume incoming {
        case .event(let event): return lend { unsafe post(event.method, event.payload.span.bytes) }
        case .request(let request):
            guard request.descriptors.isEmpty else {
                try request.fail(code: IncomingRequest.droppedCode, text: "raw calls cannot carry descriptors")
                return true
            }
            let payload = request.payload
            defer { if payload.count > largestRequest { receiver.recycle(payload) } }
            let (count, reply) = unsafe lend {
                unsafe buffers.answer(request.method, message: payload.span.bytes, body: body)
            }
            if count < 0 {
                try request.fail(code: UInt32(clamping: count.magnitude), text: "")
            } else {
                try unsafe request.reply(raw: reply)
            }
            return true
        }
    }

    /// Runs one of the closures that were passed to `serve`. As in the fast loop, the closure must not use the
    /// endpoint.
    private func lend<Result>(_ body: () -> Result) -> Result {
        isServingRaw = true
        defer { isServingRaw = false }
        return body()
    }

    /// Copies the next one-way message to `target`; nil if no such message comes before `deadline`.
    func nextPost(
        into target: UnsafeMutableRawBufferPointer, until deadline: UInt64?
    ) throws(ExtensionFailure) -> (method: UInt16, count: Int)? {
        try checkFree()
        while true {
            if let index = ahead.firstIndex(where: { $0.kind == .event }) {
                return try unsafe hand(ahead.remove(at: index), to: target)
            }
            if let found = try unsafe RawServing.nextPost(&receiver, into: target) { return found }
            // A frame that arrived after the check above can be a one-way message too. Such a message is returned here,
            // not put aside.
            guard let frame = try read() else {
                if try !wait(until: deadline) { return nil }
                continue
            }
            if frame.kind == .event { return try unsafe hand(frame, to: target) }
            try putAside(frame)
        }
    }

    private func hand(
        _ frame: Frame, to target: UnsafeMutableRawBufferPointer
    ) throws(ExtensionFailure) -> (method: UInt16, count: Int) {
        let (length, room) = (frame.payload.count, target.count)
        guard length <= room else { throw .payloadTooLarge(bytes: length, most: room) }
        unsafe target.copyBytes(from: frame.payload)
        return (frame.method, length)
    }
}
