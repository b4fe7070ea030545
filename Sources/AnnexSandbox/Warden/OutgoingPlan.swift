internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// A plan laid out, with its descriptors, until the warden has it.
final class OutgoingPlan: Sendable {
    let launch: UInt64
    private let bytes: [UInt8]
    private let descriptors: DescriptorList

    init(launch: UInt64, bytes: [UInt8], descriptors: consuming DescriptorList) {
        self.launch = launch
        self.bytes = bytes
        self.descriptors = descriptors
    }

    /// - Returns: false where the socket has no room at the moment.
    func send(on socket: borrowing ControlSocket) throws(SystemError) -> Bool {
        let numbers = descriptors.numbers
        // SAFETY: both buffers outlive the call, which only reads them, each within its own count.
        let sent = unsafe bytes.withUnsafeBytes { buffer in
            unsafe numbers.withUnsafeBufferPointer { list in
                unsafe annex_send_plan(
                    socket.descriptor.number, buffer.baseAddress, buffer.count, list.baseAddress, UInt32(list.count))
            }
        }
        if sent == -EAGAIN { return false }
        _ = try SystemError.check("sendmsg of a plan", sent)
        return true
    }
}
