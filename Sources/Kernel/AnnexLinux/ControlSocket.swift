internal import CAnnexLinux
internal import Glibc

/// A Unix socket that preserves message boundaries and carries descriptors. Every descriptor that arrives gets an
/// owner, so that no descriptor leaks.
package struct ControlSocket: ~Copyable, Sendable {
    package let descriptor: Descriptor

    package init(owning descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Gives up the socket as a plain descriptor.
    package consuming func takeDescriptor() -> Descriptor { descriptor }

    /// The maximum number of descriptors that one message can carry.
    package static let mostDescriptors = Int(ANNEX_DESCRIPTORS_PER_MESSAGE)

    /// Sends one message. The kernel duplicates the descriptors. The caller keeps its own descriptors.
    /// - Parameter waiting: whether to wait for room. If false, a full queue throws `EAGAIN`.
    /// - Throws: `EPIPE` or `ECONNRESET` if the peer is gone, `EPERM` if the peer accepts no descriptors.
    package func send(
        _ bytes: [UInt8], _ descriptors: borrowing DescriptorList = DescriptorList(), waiting: Bool = false
    ) throws(SystemError) {
        let numbers = descriptors.numbers
        // SAFETY: both buffers outlive the call. The call only reads each buffer within its own count.
        let sent = unsafe bytes.withUnsafeBytes { buffer in
            unsafe numbers.withUnsafeBufferPointer { list in
                unsafe annex_send_message(
                    descriptor.number, buffer.baseAddress, buffer.count, list.baseAddress, UInt32(clamping: list.count),
                    waiting ? 1 : 0)
            }
        }
        _ = try SystemError.check("sendmsg", sent)
    }

    /// Receives one message of at most `capacity` bytes.
    package func receive(atMost capacity: Int, waiting: Bool = false) throws(SystemError) -> ControlReception {
        if let received = try receiveOnce(atMost: capacity, waiting) { return received }
        // If the peer closed its end before it had read all its messages, the kernel reports one reset. The next
        // attempt then receives the messages that the peer had sent.
        if let received = try receiveOnce(atMost: capacity, waiting) { return received }
        return .end
    }

    /// - Returns: nil if the connection was reset.
    private func receiveOnce(atMost capacity: Int, _ waiting: Bool) throws(SystemError) -> ControlReception? {
        var numbers: [Int32] = []
        var count: UInt32 = 0
        var flags: UInt32 = 0
        var got: Int32 = 0
        let room = Int(ANNEX_DESCRIPTORS_RECEIVED)
        // SAFETY: the call writes at most `capacity` bytes, `room` numbers, one count and one set of flags.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(capacity, 1)) { buffer, filled in
            unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: room) { list in
                got = unsafe annex_receive_message(
                    descriptor.number, buffer.baseAddress, capacity, list.baseAddress, &count, &flags, waiting ? 1 : 0)
                numbers = unsafe Array(list.prefix(Int(count)))
            }
            filled = max(Int(got), 0)
        }
        // The descriptors get an owner before any call can throw.
        let descriptors = DescriptorList(owning: numbers)
        // If the kernel lacks memory, the message stays in the queue. The lack of memory is no fault of the peer, and
        // the connection has not ended.
        if got == -EAGAIN || !waiting && (got == -ENOMEM || got == -ENOBUFS) { return .nothing }
        if got == -ECONNRESET { return nil }
        // If descriptors arrive without bytes, this method returns them as a message. The receiver of the message
        // decides where to close these descriptors.
        if flags & UInt32(ANNEX_RECEIVED_END) != 0 { return .end }
        _ = try SystemError.check("recvmsg", got)
        return .message(
            ControlMessage(
                bytes: bytes, descriptors: descriptors,
                bytesWereCut: flags & UInt32(ANNEX_RECEIVED_BYTES_CUT) != 0,
                descriptorsWereCut: flags & UInt32(ANNEX_RECEIVED_DESCRIPTORS_CUT) != 0))
    }

    /// Distinguishes an empty message from the end, from now on. Without this call, an untrusted peer could send an
    /// empty message, and this end would stop reading, although the peer lives on.
    package func markMessages() throws(SystemError) {
        _ = try SystemError.check("setsockopt(SO_TIMESTAMP)", annex_mark_messages(descriptor.number))
    }

    /// Sets whether this end accepts descriptors. If this end refuses them, a sender gets `EPERM`. No descriptor of the
    /// peer then enters this process's table.
    /// - Returns: false if the kernel is older than 6.16 and cannot refuse descriptors.
    package func setPassRights(_ accept: Bool) -> Bool {
        annex_set_pass_rights(descriptor.number, accept ? 1 : 0) == 0
    }

    /// Stops sending in both directions. Messages that were sent before can still be received.
    package func shutDown() {
        _ = shutdown(descriptor.number, Int32(SHUT_RDWR))
    }

    /// The process that created or connected the other end. For both ends of a pair, this is the process that created
    /// the pair. This method therefore does not identify the process that holds the other end now.
    package func peer() throws(SystemError) -> ProcessHandle {
        ProcessHandle(
            owning: Descriptor(
                owning: try SystemError.check("getsockopt(SO_PEERPIDFD)", annex_peer_pidfd(descriptor.number))))
    }
}

/// The result of one attempt to receive.
package enum ControlReception: ~Copyable, Sendable {
    case message(ControlMessage)
    /// No message is waiting.
    case nothing
    /// The peer is gone, or has stopped sending. Unless `markMessages` was called, a message without bytes and
    /// descriptors looks the same. Annex never sends such a message.
    case end
}

/// One message from a control socket, with the descriptors that the peer sent in it.
package struct ControlMessage: ~Copyable, Sendable {
    /// The bytes, at most as many as the receiver asked for.
    package let bytes: [UInt8]
    /// All descriptors that arrived, expected or not. Descriptors that are not taken are closed when this value ends.
    package var descriptors: DescriptorList
    /// Whether the peer sent more bytes than the receiver asked for.
    package let bytesWereCut: Bool
    /// Whether some descriptors were lost because this process has no descriptor numbers left.
    package let descriptorsWereCut: Bool

    /// Takes all descriptors out of the message. The caller then owns the descriptors.
    package mutating func takeDescriptors() -> DescriptorList {
        var taken = DescriptorList()
        swap(&taken, &descriptors)
        return taken
    }
}

/// Both ends of a control socket.
package struct ControlSocketPair: ~Copyable, Sendable {
    package var host: ControlSocket
    package var peer: ControlSocket

    package init() throws(SystemError) {
        let pair = try DescriptorPair.sockets()
        host = ControlSocket(owning: pair.first)
        peer = ControlSocket(owning: pair.second)
    }
}
