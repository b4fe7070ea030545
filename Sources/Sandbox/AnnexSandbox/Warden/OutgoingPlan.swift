internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// A plan laid out, with its descriptors, until the warden has it.
final class OutgoingPlan: Sendable {
    let launch: UInt64
    private let bytes: [UInt8]
    private let descriptors: DescriptorList
    /// When this user first had too many descriptors on their way for these to be added.
    private let crowdedSince = Mutex<UInt64?>(nil)
    /// In nanoseconds.
    private static let crowdedLongest: UInt64 = 2_000_000_000

    init(launch: UInt64, bytes: [UInt8], descriptors: consuming DescriptorList) {
        self.launch = launch
        self.bytes = bytes
        self.descriptors = descriptors
    }

    /// - Returns: false where it has to be tried again: the socket has no room at the moment, or this user's programs have
    ///   more descriptors on their way, through sockets of any kind, than this process may have open.
    /// - Throws: `ETOOMANYREFS` where that stays so.
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
