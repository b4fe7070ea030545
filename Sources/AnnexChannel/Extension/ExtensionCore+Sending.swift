internal import AnnexLinux
internal import Glibc

extension ExtensionCore {
    func reply(
        _ call: UInt64, method: UInt16, payload: [UInt8], sealed: borrowing SealedPieces, isAttended: Bool
    ) throws(ExtensionFailure) {
        let header = FrameHeader(
            kind: .reply, descriptors: UInt8(truncatingIfNeeded: sealed.count), method: method, call: call)
        do throws(ExtensionFailure) {
            try send(header, payload, descriptors: sealed.descriptors, isAttended: isAttended)
        } catch .system(let error) where error.errno == EPERM && sealed.count > 0 {
            // The caller has given up meanwhile, and nobody else accepts descriptors: the kernel refuses them.
            try fail(call, method: method, code: IncomingRequest.droppedCode, text: "nobody accepts the sealed memory")
        }
    }

    func fail(_ call: UInt64, method: UInt16, code: UInt32, text: String) throws(ExtensionFailure) {
        try send(
            FrameHeader(kind: .failure, method: method, call: call),
            WireBytes.bytes(code) + Array(text.utf8.prefix(largestPayload - 4)))
    }

    func send(
        _ header: FrameHeader, _ payload: [UInt8], terms: RequestTerms? = nil,
        descriptors: borrowing DescriptorList = DescriptorList(), isAttended: Bool = false
    ) throws(ExtensionFailure) {
        let prefix = terms == nil ? 0 : RequestTerms.size
        try check(payload, terms: prefix)
        if !descriptors.isEmpty { try handOver(header.call, descriptors) }
        try makeRoom(UInt32(payload.count) + prefix)
        // SAFETY: the writer copies the bytes and keeps nothing.
        unsafe payload.withUnsafeBytes { unsafe sender.writer.write(header, terms: terms, payload: $0) }
        if sender.flush(isAttended: isAttended) { try control.ring() }
    }

    /// - Parameter terms: bytes that go before the payload.
    func check(_ payload: [UInt8], terms: UInt32) throws(ExtensionFailure) {
        let most = largestPayload - Int(terms)
        guard payload.count <= most else { throw .payloadTooLarge(bytes: payload.count, most: most) }
    }

    /// Waits until a frame of this payload fits.
    func makeRoom(_ payload: UInt32) throws(ExtensionFailure) {
        while try !hasRoom(payload) {
            // What answers an attended call rang for nobody, and a host that does not look makes no room.
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

    /// Before the frame is published, so that the host never has to wait for what the frame announces.
    private func handOver(_ call: UInt64, _ descriptors: borrowing DescriptorList) throws(ExtensionFailure) {
        let tag = DescriptorTag(call: call, count: UInt32(descriptors.count))
        do throws(SystemError) {
            try control.send(tag.encoded(), descriptors, waiting: true)
        } catch {
            throw ExtensionFailure(sending: error)
        }
    }
}
