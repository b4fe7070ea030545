internal import AnnexLinux
internal import Glibc

/// The user and the process at the other end of a connection, as the kernel reports them. The process is held by a
/// pidfd.
struct PeerIdentity: ~Copyable {
    let user: UInt32
    let process: ProcessHandle
    /// The ID of the same process, which is valid until its end; 0 if it has none in this PID namespace.
    let number: Int32

    init(user: UInt32, process: consuming ProcessHandle, number: Int32) {
        self.user = user
        self.process = process
        self.number = number
    }

    /// - Throws: `ESRCH` if the process that connected has ended.
    init(of socket: borrowing ControlSocket) throws(SystemError) {
        let credentials = try PeerCredentials(of: socket)
        let process = try Self.process(of: socket, credentials)
        guard !process.hasEnded else { throw SystemError("pidfd", errno: ESRCH) }
        self.init(user: credentials.user, process: process, number: credentials.process)
    }

    consuming func takeProcess() -> ProcessHandle { process }

    /// Kernels before 6.5 give no pidfd of a socket's peer, only a process ID, which may belong to another process by
    /// now. That process is accepted only if it is the same user's or root's. Then the connection just lasts as long as
    /// that process.
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
