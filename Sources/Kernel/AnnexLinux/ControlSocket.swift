internal import CAnnexLinux
internal import Glibc

/// A Unix socket that keeps message bounds and carries descriptors. No path through it leaks one.
package struct ControlSocket: ~Copyable, Sendable {
    package let descriptor: Descriptor

    package init(owning descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// The socket as a plain descriptor.
    package consuming func takeDescriptor() -> Descriptor { descriptor }

    /// The most descriptors that one message can carry.
    package static let mostDescriptors = Int(ANNEX_DESCRIPTORS_PER_MESSAGE)

    /// Sends one message; the descriptors stay the caller's and are duplicated by the kernel.
    /// - Parameter waiting: whether to wait for room. Without, a full queue throws `EAGAIN`.
    /// - Throws: `EPIPE` or `ECONNRESET` where the peer is gone, `EPERM` where it takes no descriptors.
    package func send(
        _ bytes: [UInt8], _ descriptors: borrowing DescriptorList = DescriptorList(), waiting: Bool = false
    ) throws(SystemError) {
        let numbers = descriptors.numbers
        // SAFETY: both buffers outlive the call, which only reads them, each within its own count.
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
        // A peer that left with something unread is reported once, ahead of what it sent before.
        if let received = try receiveOnce(atMost: capacity, waiting) { return received }
        return .end
    }

    /// - Returns: nil where the connection was reset.
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
        // Owned before anything can throw.
        let descriptors = DescriptorList(owning: numbers)
        // What the kernel has no memory for stays where it is: nothing that the peer did, nor its end.
        if got == -EAGAIN || !waiting && (got == -ENOMEM || got == -ENOBUFS) { return .nothing }
        if got == -ECONNRESET { return nil }
        // A message without bytes looks like the end, but an end brings no descriptors: those belong to a message, and
        // whoever receives it decides where they are closed.
        if flags & UInt32(ANNEX_RECEIVED_END) != 0, descriptors.isEmpty { return .end }
        _ = try SystemError.check("recvmsg", got)
        return .message(
            ControlMessage(
                bytes: bytes, descriptors: descriptors,
                bytesWereCut: flags & UInt32(ANNEX_RECEIVED_BYTES_CUT) != 0,
                descriptorsWereCut: flags & UInt32(ANNEX_RECEIVED_DESCRIPTORS_CUT) != 0))
    }

    /// Whether the kernel lets descriptors through to this end at all. Without, a sender gets `EPERM` and nothing of
    /// the peer's ever lands in this process's table.
    /// - Returns: false where the kernel is older than 6.16 and cannot refuse.
    package func setPassRights(_ accept: Bool) -> Bool {
        annex_set_pass_rights(descriptor.number, accept ? 1 : 0) == 0
    }

    /// Neither end sends any more; what was sent can still be received.
    package func shutDown() {
        _ = shutdown(descriptor.number, Int32(SHUT_RDWR))
    }

    /// The process at the other end as it was when the pair was made or connected. Both ends of a pair name the
    /// process that made the pair, so this says nothing about who holds the other end now.
    package func peer() throws(SystemError) -> ProcessHandle {
        ProcessHandle(
            owning: Descriptor(
                owning: try SystemError.check("getsockopt(SO_PEERPIDFD)", annex_peer_pidfd(descriptor.number))))
    }
}
