internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// A system call that the kernel holds until the broker answers. Its number and registers can no longer change.
struct HeldCall {
    let id: UInt64
    let thread: UInt32
    let architecture: UInt32
    let number: Int32
    let arguments: [UInt64]

    /// Receives the next call from the listener. nil if the calling process died before that, or if a signal
    /// interrupted the wait.
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

    /// Makes the call fail. If the calling process has died meanwhile, this has no effect and is no error.
    func deny(_ errno: Int32, on listener: borrowing Descriptor) {
        _ = annex_notification_refuse(listener.number, id, errno)
    }

    /// Lets the kernel perform the call with the present contents of the process's memory. Use this only for calls that
    /// the policy would allow anyway, or in a sandbox that only reports.
    func proceed(on listener: borrowing Descriptor) {
        _ = annex_notification_continue(listener.number, id)
    }

    /// Makes the call succeed, after the broker has performed it for the program.
    func complete(on listener: borrowing Descriptor) {
        _ = annex_notification_refuse(listener.number, id, 0)
    }

    /// Whether the call is still held. Thread numbers are reused. So check this after you have read data by the
    /// thread's number. If the call is no longer held, the number and the data may belong to another thread.
    func isHeld(on listener: borrowing Descriptor) -> Bool {
        annex_notification_check(listener.number, id) == 0
    }

    /// The open file that argument `index` names. It stays the same file, even if the program closes or replaces its
    /// descriptor meanwhile.
    ///
    /// - Parameter process: the caller's process, which the broker looked up earlier.
    /// - Throws: `EBADF` if the program has no such descriptor, `ESRCH` if the call is no longer held.
    func descriptor(
        _ index: Int, of process: UInt32, on listener: borrowing Descriptor
    ) throws(SystemError) -> Descriptor {
        let handle = try ProcessHandle(process: Int32(bitPattern: process))
        // The handle was opened before this check. If the call is still held, the number was the caller's all the
        // time, so the handle refers to the caller.
        guard isHeld(on: listener) else { throw SystemError("pidfd_getfd", errno: ESRCH) }
        return try handle.getDescriptor(Int32(truncatingIfNeeded: arguments[index]))
    }

    /// Whether a signal is pending for the calling thread. The kernel delivers the signal only when the call returns.
    var isDisturbed: Bool {
        ProcessText.read("\(ProcNumber.folder(of: thread))/status").flatMap { ProcessStatus.read($0) }?.hasPendingSignal
            ?? true
    }

    /// The text that argument `index` points at; nil if it cannot be read. The text is for the report only: the process
    /// can change it at any time, so no decision may depend on it.
    func text(of index: Int, on listener: borrowing Descriptor) -> [UInt8]? {
        guard let bytes = memory(at: arguments[index], count: 256), isHeld(on: listener) else { return nil }
        return Array(bytes.prefix { $0 != 0 })
    }

    /// A copy of the process's memory, as far as it is readable; nil if the first byte cannot be read.
    func memory(at address: UInt64, count: Int) -> [UInt8]? {
        guard thread != 0, count > 0 else { return nil }
        var copied = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            // SAFETY: the kernel writes at most `room.count` bytes and returns how many it wrote.
            copied = unsafe annex_read_process(pid_t(bitPattern: thread), address, room.baseAddress, room.count)
            filled = max(0, copied)
        }
        return copied > 0 ? bytes : nil
    }
}
