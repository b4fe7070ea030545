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

    /// Lets the kernel do the call, with whatever its memory holds by then: only for what would have been allowed
    /// without asking, or in a sandbox that only reports.
    func proceed(on listener: borrowing Descriptor) {
        _ = annex_notification_continue(listener.number, id)
    }

    /// Makes the call succeed: what it asks for was done on its behalf.
    func complete(on listener: borrowing Descriptor) {
        _ = annex_notification_refuse(listener.number, id, 0)
    }

    /// Whether what was read of its thread since receiving belongs to this call: numbers of threads are used again.
    func isHeld(on listener: borrowing Descriptor) -> Bool {
        annex_notification_check(listener.number, id) == 0
    }

    /// The text that argument `index` points at, for the report alone: the process can change it at any time,
    /// so no decision may rest on it. Nil where it cannot be read.
    func text(of index: Int, on listener: borrowing Descriptor) -> [UInt8]? {
        guard let bytes = memory(at: arguments[index], count: 256), isHeld(on: listener) else { return nil }
        return Array(bytes.prefix { $0 != 0 })
    }

    /// A copy of the process's memory, as far as it can be read; nil where its first byte cannot.
    func memory(at address: UInt64, count: Int) -> [UInt8]? {
        guard thread != 0, count > 0 else { return nil }
        var copied = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            // SAFETY: the kernel writes at most as much as there is room for, and says how much it wrote.
            copied = unsafe annex_read_process(pid_t(bitPattern: thread), address, room.baseAddress, room.count)
            filled = max(0, copied)
        }
        return copied > 0 ? bytes : nil
    }
}
