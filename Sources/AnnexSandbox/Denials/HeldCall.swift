internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// A call that the kernel holds until it is answered: number and registers, which nothing can change any more.
struct HeldCall {
    let id: UInt64
    let thread: UInt32
    let architecture: UInt32
    let number: Int32
    let arguments: [UInt64]

    /// Takes the next one from the listener; nil when its process died first.
    static func receive(from listener: borrowing Descriptor) throws(SystemError) -> HeldCall? {
        var held = annex_notification()
        // SAFETY: the call fills the struct that it is given and keeps nothing.
        let status = unsafe annex_notification_receive(listener.number, &held)
        if status == -ENOENT || status == -EINTR { return nil }
        _ = try SystemError.check("SECCOMP_IOCTL_NOTIF_RECV", status)
        let registers = held.arguments
        return HeldCall(
            id: held.id, thread: held.process, architecture: held.architecture, number: held.number,
            arguments: [registers.0, registers.1, registers.2, registers.3, registers.4, registers.5])
    }

    /// Makes the call fail. That its process died meanwhile is no error: then nobody waits for the answer.
    func refuse(_ errno: Int32, on listener: borrowing Descriptor) {
        _ = annex_notification_refuse(listener.number, id, errno)
    }

    /// The text that argument `index` points at, for the report alone: the process can change it at any time,
    /// so no decision may rest on it. Nil where it cannot be read.
    func text(of index: Int, on listener: borrowing Descriptor) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe bytes.withUnsafeMutableBytes { room in
            // SAFETY: the kernel writes at most as much as there is room for.
            unsafe annex_read_process(pid_t(bitPattern: thread), arguments[index], room.baseAddress, room.count)
        }
        // What was read belongs to this call only while the kernel still holds it: thread numbers are used again.
        guard count > 0, annex_notification_check(listener.number, id) == 0 else { return nil }
        return Array(bytes.prefix(count).prefix { $0 != 0 })
    }
}
