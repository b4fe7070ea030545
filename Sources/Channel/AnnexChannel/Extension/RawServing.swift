internal import AnnexLinux
internal import Glibc

/// The loops that serve plain bytes. As long as only requests and one-way messages without descriptors arrive, these
/// loops keep exclusive access to both halves of the endpoint (receiver and sender). So they need no checks and no
/// reference counting of shared objects for each frame.
enum RawServing {
    /// Answers requests and passes on one-way messages until a frame of another kind comes.
    ///
    /// While requests follow one another closely, the loop does not check whether the host sleeps. The number of the
    /// next request then shows that the host has taken the last answer. If no such request comes soon, the loop checks
    /// whether the host sleeps, before it does anything else and before this side sleeps.
    /// - Returns: whether `post` returned false.
    static func serve(
        _ receiver: inout ExtensionReceiver, sender: inout ExtensionSender, control: borrowing ControlSocket,
        buffers: borrowing RawBuffers, body: ExtensionCore.RawBody, post: ExtensionCore.RawPost
    ) throws(ExtensionFailure) -> Bool {
        var unchecked: UncheckedAnswer?
        var polls = 0
        while true {
            if let header = receiver.reader.poll(for: .bareRequest, kind: .request) {
                if let last = unchecked, !last.isReceived(accordingTo: header.call) {
                    try check(last, sender: &sender, control: control)
                }
                buffers.load(header, from: receiver.reader)
                receiver.pass(header)
                unchecked = try answer(header, sender: &sender, control: control, buffers: buffers, body: body)
                polls = receiver.isWorthPolling ? UncheckedAnswer.mostPolls : 0
                continue
            }
            if let last = unchecked {
                if polls > 0, !receiver.reader.hasNews {
                    polls &-= 1
                    Processor.pause()
                    continue
                }
                try check(last, sender: &sender, control: control)
                unchecked = nil
            }
            guard let header = try nextHeader(from: &receiver) else { continue }
            guard header.isSimple else { return false }
            buffers.load(header, from: receiver.reader)
            receiver.pass(header)
            if header.kind == .event {
                guard buffers.message(header, post) else { return true }
            } else {
                unchecked = try answer(header, sender: &sender, control: control, buffers: buffers, body: body)
                polls = 0
            }
        }
    }

    private static func check(
        _ answer: UncheckedAnswer, sender: inout ExtensionSender, control: borrowing ControlSocket
    ) throws(ExtensionFailure) {
        if sender.wake(on: answer.word) { try control.ring() }
    }

    /// Copies the next frame to `target` if it is a one-way message. Returns nil if the next frame is of another kind
    /// or there is no frame.
    static func nextPost(
        _ receiver: inout ExtensionReceiver, into target: UnsafeMutableRawBufferPointer
    ) throws(ExtensionFailure) -> (method: UInt16, count: Int)? {
        guard let header = try violating({ () throws(ChannelViolation) in try receiver.reader.poll() }),
            header.kind == .event
        else { return nil }
        let (length, room) = (Int(header.length), target.count)
        guard length <= room else {
            receiver.pass(header)
            throw .payloadTooLarge(bytes: length, most: room)
        }
        // SAFETY: the length was just compared with the caller's room.
        if let start = target.baseAddress { unsafe receiver.reader.copy(header, to: start) }
        receiver.pass(header)
        return (header.method, length)
    }

    /// The next frame's header. If there is no frame yet, waits and returns nil.
    private static func nextHeader(from receiver: inout ExtensionReceiver) throws(ExtensionFailure) -> CheckedHeader? {
        try violating { () throws(ChannelViolation) in
            if let header = try receiver.reader.poll() { return header }
            _ = try receiver.wait(until: nil)
            return nil
        }
    }

    /// - Returns: the answer if the caller must still check whether the host sleeps; otherwise nil.
    private static func answer(
        _ asked: CheckedHeader, sender: inout ExtensionSender, control: borrowing ControlSocket,
        buffers: borrowing RawBuffers, body: ExtensionCore.RawBody
    ) throws(ExtensionFailure) -> UncheckedAnswer? {
        var (count, reply) = unsafe buffers.answer(asked, body: body)
        var header = FrameHeader(kind: .reply, method: asked.method, call: asked.call)
        if count < 0 {
            header.kind = .failure
            unsafe reply = buffers.failure(UInt32(clamping: count.magnitude))
        }
        let isAttended = asked.marks.contains(.attended)
        if let answer = unsafe sender.publishUnchecked(header, payload: reply, isAttended: isAttended) { return answer }
        guard reply.count <= Int(sender.writer.largestPayload) else {
            try unsafe sender.sendLarge(header, payload: reply, control: control, isAttended: isAttended)
            return nil
        }
        let length = UInt32(truncatingIfNeeded: reply.count)
        while try !violating({ () throws(ChannelViolation) in try sender.writer.hasRoom(payload: length) }) {
            if sender.flush() || sender.wantsDoorbell() { try control.ring() }
            try violating { () throws(ChannelViolation) in try sender.waitForRoom(payload: length) }
        }
        unsafe sender.writer.write(header, payload: reply)
        if sender.flush(isAttended: isAttended) { try control.ring() }
        return nil
    }

    private static func violating<Result>(
        _ body: () throws(ChannelViolation) -> Result
    ) throws(ExtensionFailure) -> Result {
        do throws(ChannelViolation) {
            return try body()
        } catch {
            throw .violated(error)
        }
    }
}

/// An extension's private memory for one request and one answer, each as large as its ring allows.
@safe struct RawBuffers: ~Copyable {
    private let request: UnsafeMutableRawBufferPointer
    private let reply: UnsafeMutableRawBufferPointer

    /// - Parameter least: the bytes of room for an answer if there is not enough memory for the largest answer.
    /// - Throws: `ExtensionFailure.system` (ENOMEM) if there is not enough memory for `least` bytes either.
    init(request: Int, reply: Int, orElse least: Int) throws(ExtensionFailure) {
        // The memory is zeroed, so that an incompletely written answer cannot reveal earlier contents of the memory.
        // Pages that are never written use no memory.
        let largest = unsafe calloc(1, reply)
        guard let start = unsafe largest ?? calloc(1, least) else {
            throw .system(SystemError("calloc", errno: ENOMEM))
        }
        unsafe self.request = .allocate(byteCount: request, alignment: 64)
        unsafe self.reply = UnsafeMutableRawBufferPointer(start: start, count: largest == nil ? least : reply)
    }

    deinit {
        unsafe request.deallocate()
        unsafe free(reply.baseAddress)
    }

    /// Copies the payload of the reader's current frame.
    func load(_ header: CheckedHeader, from reader: borrowing RingReader) {
        guard let target = unsafe request.baseAddress else { return }
        // SAFETY: the header's length was checked to be at most half the ring, which is the buffer's capacity.
        unsafe reader.copy(header, to: target)
    }

    /// Lends the bytes that were loaded.
    func message<Result>(_ header: CheckedHeader, _ body: (UInt16, RawSpan) -> Result) -> Result {
        // SAFETY: these are exactly the bytes of the loaded payload, and they are lent only until `body` returns.
        let bytes = unsafe UnsafeRawBufferPointer(start: request.baseAddress, count: Int(header.length))
        return unsafe body(header.method, bytes.bytes)
    }

    /// Runs `body` on the loaded request.
    /// - Returns: the number that `body` returned, and the answer's bytes.
    func answer(
        _ header: CheckedHeader, body: ExtensionCore.RawBody
    ) -> (count: Int, reply: UnsafeRawBufferPointer) {
        unsafe message(header) { method, message in unsafe answer(method, message: message, body: body) }
    }

    /// Runs `body` on a message that lies outside this object's memory.
    func answer(
        _ method: UInt16, message: RawSpan, body: ExtensionCore.RawBody
    ) -> (count: Int, reply: UnsafeRawBufferPointer) {
        // SAFETY: this side's own memory, lent only until `body` returns.
        var target = unsafe reply.mutableBytes
        let count = body(method, message, &target)
        let length = unsafe min(max(count, 0), reply.count)
        return unsafe (count, UnsafeRawBufferPointer(start: reply.baseAddress, count: length))
    }

    /// The payload of a failure without a text.
    func failure(_ code: UInt32) -> UnsafeRawBufferPointer {
        // SAFETY: even the smallest room for an answer is far longer than the code.
        unsafe reply.storeBytes(of: code.littleEndian, as: UInt32.self)
        return unsafe UnsafeRawBufferPointer(rebasing: reply.prefix(MemoryLayout<UInt32>.size))
    }
}
