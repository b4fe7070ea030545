internal import AnnexLinux
internal import Glibc

extension ExtensionCore {
    func reply(
        _ call: UInt64, method: UInt16, payload: [UInt8], sealed: borrowing SealedPieces
    ) throws(ExtensionFailure) {
        let header = FrameHeader(
            kind: .reply, descriptors: UInt8(truncatingIfNeeded: sealed.count), method: method, call: call)
        do throws(ExtensionFailure) {
            try send(header, payload, descriptors: sealed.descriptors)
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
        descriptors: borrowing DescriptorList = DescriptorList()
    ) throws(ExtensionFailure) {
        guard payload.count <= largestPayload else {
            throw .payloadTooLarge(bytes: payload.count, most: largestPayload)
        }
        if !descriptors.isEmpty { try handOver(header.call, descriptors) }
        let wantsDoorbell: Bool
        do throws(ChannelViolation) {
            wantsDoorbell = try sender.send(header, terms: terms, payload)
        } catch {
            throw .violated(error)
        }
        if wantsDoorbell { try ringDoorbell() }
    }

    /// Before the frame is published, so that the host never has to wait for what the frame announces.
    private func handOver(_ call: UInt64, _ descriptors: borrowing DescriptorList) throws(ExtensionFailure) {
        let tag = DescriptorTag(call: call, count: UInt32(descriptors.count))
        do throws(SystemError) {
            try control.send(tag.encoded(), descriptors, waiting: true)
        } catch {
            throw ended(error)
        }
    }

    private func ringDoorbell() throws(ExtensionFailure) {
        do throws(SystemError) {
            try control.send(WireFormat.doorbell)
        } catch {
            // A full queue wakes the host as well.
            if error.errno != EAGAIN { throw ended(error) }
        }
    }

    private func ended(_ error: SystemError) -> ExtensionFailure {
        error.errno == EPIPE || error.errno == ECONNRESET ? .ended : .system(error)
    }
}
