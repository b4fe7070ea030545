internal import AnnexLinux
internal import Glibc

/// Who is at the other end of a connection, as the kernel says: the user, and the process, by a pidfd.
struct PeerIdentity: ~Copyable {
    let user: UInt32
    let process: ProcessHandle
    /// The same process's number until its end; 0 where it has none in this namespace.
    let number: Int32

    init(user: UInt32, process: consuming ProcessHandle, number: Int32) {
        self.user = user
        self.process = process
        self.number = number
    }

    /// - Throws: `ESRCH` where the process that connected is gone.
    init(of socket: borrowing ControlSocket) throws(SystemError) {
        let credentials = try PeerCredentials(of: socket)
        let process = try Self.process(of: socket, credentials)
        guard !process.hasEnded else { throw SystemError("pidfd", errno: ESRCH) }
        self.init(user: credentials.user, process: process, number: credentials.process)
    }

    consuming func takeProcess() -> ProcessHandle { process }

    /// Kernels before 6.5 give no pidfd of a socket's peer. A number may be another process's by now: it is taken only
    /// where that is the same user's, whose own affair it then is how long his connection lasts.
    private static func process(
        of socket: borrowing ControlSocket, _ credentials: PeerCredentials
    ) throws(SystemError) -> ProcessHandle {
        if let peer = try? socket.peer() { return peer }
        let handle = try ProcessHandle(process: credentials.process)
        let owner = try Descriptor.directory("/proc/\(credentials.process)").status().user
        guard owner == credentials.user || owner == 0, !handle.hasEnded else {
            throw SystemError("pidfd_open", errno: ESRCH)
        }
        return handle
    }
}
