internal import AnnexLinux
internal import Glibc

extension ExtensionCore {
    func reply(
        _ call: UInt64, method: UInt16, payload: [UInt8], sealed: borrowing SealedPieces, isAttended: Bool
    ) throws(ExtensionFailure) {
        let header = FrameHeader(
            kind: .reply, descriptors: UInt8(truncatingIfNeeded: sealed.count), method: method, call: call)
        do throws(ExtensionFailure) {
            try send(header, payload: payload, descriptors: sealed.descriptors, isAttended: isAttended)
        } catch .system(let error) where error.errno == EPERM && sealed.count > 0 {
            // The caller has given up meanwhile, and no other open call accepts descriptors, so the kernel refuses the
            // descriptors of this answer.
            try fail(
                call, method: method, code: IncomingRequest.droppedCode, text: "the caller accepts no sealed memory")
        } catch .system(let error) where error.errno == ETOOMANYREFS {
            try fail(
                call, method: method, code: IncomingRequest.droppedCode,
                text: "the extension's user has too many descriptors in flight: end programs that leave them unread")
        }
    }

    func fail(_ call: UInt64, method: UInt16, code: UInt32, text: String) throws(ExtensionFailure) {
        try send(
            FrameHeader(kind: .failure, method: method, call: call),
            payload: WireBytes.bytes(code) + Array(text.utf8.prefix(largestFrame - 4)))
    }

    func send(
        _ header: FrameHeader, payload: [UInt8], terms: RequestTerms? = nil,
        descriptors: borrowing DescriptorList = DescriptorList(), isAttended: Bool = false
    ) throws(ExtensionFailure) {
        // SAFETY: the bytes are lent until the inner `send` returns, and that `send` copies them.
        try unsafe payload.span.bytes.withUnsafeBytes { (bytes) throws(ExtensionFailure) in
            try unsafe send(header, payload: bytes, terms: terms, descriptors: descriptors, isAttended: isAttended)
        }
    }

    /// Like the other `send`, with bytes that are lent until this method returns.
    func send(
        _ header: FrameHeader, payload: UnsafeRawBufferPointer, terms: RequestTerms? = nil,
        descriptors: borrowing DescriptorList = DescriptorList(), isAttended: Bool = false
    ) throws(ExtensionFailure) {
        try checkFree()
        let prefix = terms == nil ? 0 : RequestTerms.size
        try check(header.kind, bytes: payload.count, terms: prefix)
        // Descriptors are sent before the first piece of a large answer too. If the hand-over fails, the host gets a
        // failure as the answer. After a piece, such a failure would be a second answer, which is forbidden.
        if !descriptors.isEmpty { try handOver(for: header.call, descriptors: descriptors) }
        guard payload.count + Int(prefix) <= largestFrame else {
            return try unsafe sender.sendLarge(header, payload: payload, control: control, isAttended: isAttended)
        }
        try makeRoom(UInt32(payload.count) + prefix + sender.writer.spare(header.kind))
        // SAFETY: the writer copies the bytes and keeps no reference.
        unsafe sender.writer.write(header, terms: terms, payload: payload)
        if sender.flush(isAttended: isAttended) { try control.ring() }
    }

    /// Checks the size of a payload. Only answers may be large, because the host has requested them and set a limit.
    /// - Parameter terms: the size of the terms before the payload, in bytes.
    func check(_ kind: FrameKind, bytes: Int, terms: UInt32) throws(ExtensionFailure) {
        let most = kind == .reply ? largestPayload : largestFrame - Int(terms)
        guard bytes <= most else { throw .payloadTooLarge(bytes: bytes, most: most) }
    }

    /// Waits until a frame with this payload fits.
    func makeRoom(_ payload: UInt32) throws(ExtensionFailure) {
        while try !hasRoom(payload) {
            // Answers to attended calls may have filled the ring without a doorbell. The host then reads the ring only
            // after a doorbell.
            if sender.flush() || sender.wantsDoorbell() { try control.ring() }
            do throws(ChannelViolation) {
                try sender.waitForRoom(payload: payload)
            } catch {
                throw .violated(error)
            }
            if sender.isStopped { throw .ended }
        }
    }

    private func hasRoom(_ payload: UInt32) throws(ExtensionFailure) -> Bool {
        do throws(ChannelViolation) {
            return try sender.writer.hasRoom(payload: payload)
        } catch {
            throw .violated(error)
        }
    }

    /// How long an answer waits while the user of this process has too many descriptors in flight.
    private static let longestCrowd = Duration.seconds(5)

    /// Sends descriptors before their frame is published, so that the host never has to wait for them.
    ///
    /// The kernel counts the descriptors in flight of all programs of a user, and compares the sum with the sender's
    /// limit. Because of another program of the user, the sum can exceed that limit for a moment. This side then waits
    /// and tries again, for at most `longestCrowd`. While it waits, it answers pings and handles cancels.
    private func handOver(for call: UInt64, descriptors: borrowing DescriptorList) throws(ExtensionFailure) {
        let tag = DescriptorTag(call: call, count: UInt32(descriptors.count))
        let deadline = MonotonicClock.deadline(after: Self.longestCrowd)
        while true {
            do throws(SystemError) {
                return try control.send(tag.encoded(), descriptors, waiting: true)
            } catch {
                guard error.errno == ETOOMANYREFS, MonotonicClock.remaining(until: deadline) > 0 else {
                    throw ExtensionFailure(sending: error)
                }
            }
            _ = try wait(until: MonotonicClock.deadline(after: .milliseconds(5)))
            _ = try readWhatIsThere()
        }
    }
}
