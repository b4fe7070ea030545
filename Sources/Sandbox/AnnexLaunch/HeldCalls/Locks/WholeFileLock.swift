internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// Takes an exclusive `flock` on behalf of a held call: a call whose thread waits for the broker's answer.
///
/// The kernel gives an exclusive lock even to a process that must not write the file. The lock blocks every other
/// process that locks the file. The broker therefore gives the lock only to a sandbox that may write the file. If the
/// kernel performed the call, another thread could replace the descriptor's file after the check. So the broker
/// itself locks the open file description that it has examined. The program shares this description.
enum WholeFileLock {
    package enum Outcome: Hashable {
        case acquired
        case denied(errno: Int32)
        /// Another process holds the lock, and the call asked to wait for it.
        case busy
    }

    /// Whether a call asks for an exclusive lock. The kernel reads only 32 bits of the operation.
    static func isAsked(by call: HeldCall) -> Bool {
        Int32(truncatingIfNeeded: call.arguments[1]) & ~LOCK_NB == LOCK_EX
    }

    /// Takes the lock without waiting for it. A network file system may block this function nevertheless.
    static func acquire(_ call: HeldCall, on listener: borrowing Descriptor) -> Outcome {
        do throws(SystemError) {
            let process = Caller(asking: call.thread).process ?? 0
            let file = try call.descriptor(0, of: process, on: listener)
            guard isWritable(file, by: process) else { return .denied(errno: ENOLCK) }
            return try lock(file) ? .acquired : waits(call)
        } catch {
            return .denied(errno: error.errno == EBADF ? EBADF : ENOLCK)
        }
    }

    /// - Returns: false if another process holds the lock.
    private static func lock(_ file: borrowing Descriptor) throws(SystemError) -> Bool {
        if flock(file.number, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw SystemError("flock", errno: errno) }
        return false
    }

    private static func waits(_ call: HeldCall) -> Outcome {
        guard call.arguments[1] & UInt64(LOCK_NB) == 0 else { return .denied(errno: EWOULDBLOCK) }
        return call.isDisturbed ? .denied(errno: EINTR) : .busy
    }
}

extension WholeFileLock {
    private static let readOnly: UInt = 1  // ST_RDONLY

    /// Whether a process may write a file that it has open. The file or directory must be opened for writing, or lie
    /// on a writable mount that the process has and the broker does not have. If another process opened the file for
    /// reading and passed the descriptor on, the file lies on a mount of that other process. Such a mount counts only
    /// if the given process has this mount too.
    static func isWritable(_ file: borrowing Descriptor, by process: UInt32) -> Bool {
        guard let kind = try? file.status().kind, kind == .regular || kind == .directory else { return false }
        var mount = statvfs()
        // SAFETY: the call fills the struct and keeps nothing.
        guard unsafe fstatvfs(file.number, &mount) == 0, mount.f_flag & readOnly == 0 else { return false }
        return fcntl(file.number, F_GETFL) & O_ACCMODE != O_RDONLY || isMounted(file, for: process)
    }

    /// Whether a file was opened through a mount of the given process, and not through a mount of this process. A
    /// sandbox without mounts of its own uses the mounts of this process. Any other process may have opened the file
    /// through these mounts, so they show nothing about the given process.
    private static func isMounted(_ file: borrowing Descriptor, for process: UInt32) -> Bool {
        let own = TextFile.lines(of: TextFile.read("/proc/self/fdinfo/\(file.number)") ?? "")
        guard let mount = own.first(where: { $0.hasPrefix("mnt_id:\t") })?.dropFirst(8) else { return false }
        return lists("\(ProcNumber.listed(Int32(clamping: process)))", mount: mount) == true
            && lists("self", mount: mount) == false
    }

    /// Whether a process's list of mounts contains the mount with this number; nil if the list cannot be read.
    private static func lists(_ process: String, mount: Substring) -> Bool? {
        TextFile.read("/proc/\(process)/mountinfo").map(TextFile.lines)?.contains { $0.hasPrefix("\(mount) ") }
    }
}
