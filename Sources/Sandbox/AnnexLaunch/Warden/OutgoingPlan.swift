internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// An encoded plan and its descriptors, kept until they were sent to the warden.
final class OutgoingPlan: Sendable {
    let launch: UInt64
    private let bytes: [UInt8]
    private let descriptors: DescriptorList
    /// When a send first failed because this user had too many descriptors in flight.
    private let crowdedSince = Mutex<UInt64?>(nil)
    /// How long sends may go on failing for that reason, in nanoseconds.
    private static let crowdedLongest: UInt64 = 2_000_000_000

    init(launch: UInt64, bytes: [UInt8], descriptors: consuming DescriptorList) {
        self.launch = launch
        self.bytes = bytes
        self.descriptors = descriptors
    }

    /// - Returns: false if the send must be repeated: either the socket has no room at the moment, or too many
    ///   descriptors are in flight. The kernel allows a user as many, in sockets of any kind, as this process may have
    ///   open.
    /// - Throws: `ETOOMANYREFS` if the second condition lasts for two seconds.
    func send(on socket: borrowing ControlSocket) throws(SystemError) -> Bool {
        let numbers = descriptors.numbers
        // SAFETY: both buffers outlive the call, which only reads them, each within its own count.
        let sent = unsafe bytes.withUnsafeBytes { buffer in
            unsafe numbers.withUnsafeBufferPointer { list in
                unsafe annex_send_plan(
                    socket.descriptor.number, buffer.baseAddress, buffer.count, list.baseAddress, UInt32(list.count))
            }
        }
        if sent == -EAGAIN || sent == -ETOOMANYREFS && waitsForOthers() { return false }
        _ = try SystemError.check("sendmsg of a plan", sent)
        return true
    }

    private func waitsForOthers() -> Bool {
        crowdedSince.withLock { since in
            let now = MonotonicClock.now()
            let start = since ?? now
            since = start
            return now &- start < Self.crowdedLongest
        }
    }
}
