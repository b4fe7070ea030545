internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// An exclusive `flock` of a held call, taken on its behalf.
///
/// Such a lock needs no right to write and holds up whoever else locks the file, so it is given only where the sandbox
/// may write. The kernel could be let do the call, but another thread could put another file in the descriptor's place
/// before. So the broker locks the very description that it looked at, which is the program's own.
enum WholeFileLock {
    enum Outcome: Hashable {
        case taken
        case refused(errno: Int32)
        /// Another holds it, and the call is one that waits.
        case busy
    }

    /// Whether a call asks for such a lock. The kernel reads 32 bits of the operation.
    static func isAsked(by call: HeldCall) -> Bool {
        Int32(truncatingIfNeeded: call.arguments[1]) & ~LOCK_NB == LOCK_EX
    }

    /// Never waits for the lock; a file system of the network may let it wait all the same.
    static func take(_ call: HeldCall, on listener: borrowing Descriptor) -> Outcome {
        do throws(SystemError) {
            let process = Caller(asking: call.thread).process ?? 0
            let file = try file(of: call, in: process, on: listener)
            guard isWritable(file, by: process) else { return .refused(errno: ENOLCK) }
            return try lock(file) ? .taken : waits(call)
        } catch {
            return .refused(errno: error.errno == EBADF ? EBADF : ENOLCK)
        }
    }

    /// - Returns: false where another holds it.
    private static func lock(_ file: borrowing Descriptor) throws(SystemError) -> Bool {
        if flock(file.number, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw SystemError("flock", errno: errno) }
        return false
    }

    private static func waits(_ call: HeldCall) -> Outcome {
        guard call.arguments[1] & UInt64(LOCK_NB) == 0 else { return .refused(errno: EWOULDBLOCK) }
        return isDisturbed(call.thread) ? .refused(errno: EINTR) : .busy
    }

    /// The description that the call names. A process with the caller's number is the caller while the call is held.
    private static func file(
        of call: HeldCall, in process: UInt32, on listener: borrowing Descriptor
    ) throws(SystemError) -> Descriptor {
        let handle = try ProcessHandle(process: Int32(bitPattern: process))
        guard call.isHeld(on: listener) else { throw SystemError("flock", errno: ESRCH) }
        return try handle.getDescriptor(Int32(truncatingIfNeeded: call.arguments[0]))
    }

    /// Whether a signal waits for a thread, which the kernel hands over only when its call returns.
    private static func isDisturbed(_ thread: UInt32) -> Bool {
        ProcessText.read("/proc/\(thread)/status").flatMap { ProcessStatus.read($0) }?.hasPendingSignal ?? true
    }
}
