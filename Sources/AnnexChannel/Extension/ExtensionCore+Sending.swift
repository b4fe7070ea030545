internal import AnnexLinux
internal import Glibc

extension ExtensionCore {
    func reply(
        _ call: UInt64, method: UInt16, payload: [UInt8], sealed: borrowing SealedPieces
    ) throws(ExtensionFailure) {
        let header = FrameHeader(
            kind: .reply, descriptors: UInt8(truncatingIfNeeded: sealed.count), method: method, call: call)
        try send(header, payload, descriptors: sealed.descriptors)
    }

    func fail(_ call: UInt64, method: UInt16, code: UInt32, text: String) throws(ExtensionFailure) {
        let most = Int(writer.largestPayload) - 4
        try send(
            FrameHeader(kind: .failure, method: method, call: call),
            WireBytes.bytes(code) + Array(text.utf8.prefix(most)))
    }

    func send(
        _ header: FrameHeader, _ payload: [UInt8], descriptors: borrowing DescriptorList = DescriptorList()
    ) throws(ExtensionFailure) {
        guard payload.count <= Int(writer.largestPayload) else {
            throw .payloadTooLarge(bytes: payload.count, most: Int(writer.largestPayload))
        }
        try waitForRoom(UInt32(payload.count))
        if !descriptors.isEmpty {
            let tag = DescriptorTag(call: header.call, count: UInt32(descriptors.count))
            try control { (socket) throws(SystemError) in
                try socket.send(tag.encoded(), descriptors, waiting: true)
            }
        }
        writer.write(header, payload: payload)
        try wakeHost()
    }

    private func waitForRoom(_ payload: UInt32) throws(ExtensionFailure) {
        while try !checked({ () throws(ChannelViolation) in try writer.hasRoom(payload: payload) }) {
            let seen = writer.seen
            roomGate.announce()
            let woken = roomGate.sleep(while: seen, until: nil)
            roomGate.withdraw()
            if case .refused(let errno) = woken { throw .violated(.sharedWord(errno: errno)) }
        }
    }

    /// The host sleeps on the position, or in epoll, or not at all.
    private func wakeHost() throws(ExtensionFailure) {
        let state = wakeReceiver.state()
        if state == ReceiverState.asleep {
            own.produced.wake()
        } else if ReceiverState.isDoorbell(state), state != rung {
            rung = state
            do throws(SystemError) {
                try control.send(WireFormat.doorbell)
            } catch {
                // A full queue is as good as a doorbell.
                if error.errno != EAGAIN { throw ended(error) }
            }
        }
    }

    private func control(
        _ body: (borrowing ControlSocket) throws(SystemError) -> Void
    ) throws(ExtensionFailure) {
        do throws(SystemError) {
            try body(control)
        } catch {
            throw ended(error)
        }
    }

    private func ended(_ error: SystemError) -> ExtensionFailure {
        error.errno == EPIPE || error.errno == ECONNRESET ? .ended : .system(error)
    }

    func checked<Value>(_ body: () throws(ChannelViolation) -> Value) throws(ExtensionFailure) -> Value {
        do throws(ChannelViolation) {
            return try body()
        } catch {
            throw .violated(error)
        }
    }
}
