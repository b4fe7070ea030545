internal import AnnexLinux

/// The loops of bare bytes. They hold both halves of the endpoint for as long as nothing but simple frames comes, so
/// that none of the checks and counts of shared objects is made for each frame.
enum RawServing {
    /// Answers requests and hands on one-way messages until a frame of another kind comes.
    /// - Returns: whether `post` said that it is enough.
    static func serve(
        _ receiver: inout ExtensionReceiver, _ sender: inout ExtensionSender, _ control: borrowing ControlSocket,
        _ buffers: borrowing RawBuffers, _ body: ExtensionCore.RawBody, _ post: ExtensionCore.RawPost
    ) throws(ExtensionFailure) -> Bool {
        while true {
            if let header = receiver.reader.look(for: .bareRequest, .request) {
                buffers.load(header, from: receiver.reader)
                receiver.pass(header)
                try answer(header, &sender, control, buffers, body)
                continue
            }
            guard let header = try look(&receiver) else { continue }
            guard header.isSimple else { return false }
            buffers.load(header, from: receiver.reader)
            receiver.pass(header)
            if header.kind == .event {
                guard buffers.message(header, post) else { return true }
            } else {
                try answer(header, &sender, control, buffers, body)
            }
        }
    }

    /// The one-way message that is next, copied to `target`; nil where something else is next, or nothing.
    static func nextPost(
        _ receiver: inout ExtensionReceiver, into target: UnsafeMutableRawBufferPointer
    ) throws(ExtensionFailure) -> (method: UInt16, count: Int)? {
        guard let header = try violating({ () throws(ChannelViolation) in try receiver.reader.look() }),
            header.kind == .event
        else { return nil }
        let (length, room) = (Int(header.length), target.count)
        guard length <= room else {
            receiver.pass(header)
            throw .payloadTooLarge(bytes: length, most: room)
        }
        // SAFETY: held against the caller's room just now.
        if let start = target.baseAddress { unsafe receiver.reader.copy(header, to: start) }
        receiver.pass(header)
        return (header.method, length)
    }

    /// The next frame's header; nil after a wait.
    private static func look(_ receiver: inout ExtensionReceiver) throws(ExtensionFailure) -> CheckedHeader? {
        try violating { () throws(ChannelViolation) in
            if let header = try receiver.reader.look() { return header }
            _ = try receiver.wait(until: nil)
            return nil
        }
    }

    private static func answer(
        _ asked: CheckedHeader, _ sender: inout ExtensionSender, _ control: borrowing ControlSocket,
        _ buffers: borrowing RawBuffers, _ body: ExtensionCore.RawBody
    ) throws(ExtensionFailure) {
        var (count, reply) = unsafe buffers.answer(asked, body)
        var header = FrameHeader(kind: .reply, method: asked.method, call: asked.call)
        if count < 0 {
            header.kind = .failure
            unsafe reply = buffers.failure(UInt32(clamping: count.magnitude))
        }
        if unsafe sender.publishAtOnce(header, reply, isAttended: asked.marks.contains(.attended)) { return }
        guard reply.count <= Int(sender.writer.largestPayload) else {
            return try unsafe sender.sendLarge(
                header, reply, control, isAttended: asked.marks.contains(.attended))
        }
        let length = UInt32(truncatingIfNeeded: reply.count)
        while try !violating({ () throws(ChannelViolation) in try sender.writer.hasRoom(payload: length) }) {
            if sender.flush() || sender.wantsDoorbell() { try control.ring() }
            try violating { () throws(ChannelViolation) in try sender.waitForRoom(payload: length) }
        }
        unsafe sender.writer.write(header, payload: reply)
        if sender.flush(isAttended: asked.marks.contains(.attended)) { try control.ring() }
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
