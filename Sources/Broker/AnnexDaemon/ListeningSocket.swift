internal import AnnexBrokerAPI
package import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// The socket that accepts a daemon's connections. Either the daemon makes it, or the daemon's parent passes it on.
package struct ListeningSocket: ~Copyable, Sendable {
    package let descriptor: Descriptor
    /// Whether another program made the socket, and keeps the socket when the daemon ends.
    package let isGiven: Bool

    /// The first descriptor that a parent passes on, according to systemd's protocol.
    private static let firstGiven: Int32 = 3
    /// The name under which a daemon passes its own socket on to its successor.
    private static let ownName = "annexd-own"

    private init(_ descriptor: consuming Descriptor, isGiven: Bool) {
        self.descriptor = descriptor
        self.isGiven = isGiven
    }

    /// The socket that systemd or this daemon's predecessor passed on (`LISTEN_FDS`); nil if there is none.
    /// - Throws: `ENOTSOCK` if the parent did not pass on exactly one listening socket.
    package static func given() throws(SystemError) -> ListeningSocket? {
        guard Self.number("LISTEN_PID") == Int(getpid()), let count = Self.number("LISTEN_FDS"), count > 0 else {
            return nil
        }
        let isOwn = getenv("LISTEN_FDNAMES").map { String(cString: $0) } == ownName
        // Child processes must not read these variables as if the socket were passed on to them.
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        let socket = Descriptor(owning: firstGiven)
        guard count == 1, LocalSocket.isListener(socket) else {
            throw SystemError(
                "LISTEN_FDS", errno: ENOTSOCK, remedy: "pass on one socket, with ListenSequentialPacket= in the unit")
        }
        guard fcntl(firstGiven, F_SETFD, FD_CLOEXEC) == 0 else { throw SystemError("fcntl(F_SETFD)", errno: errno) }
        try socket.stopBlocking()
        try LocalSocket.boundQueue(of: socket)
        return ListeningSocket(readied(socket), isGiven: !isOwn)
    }

    /// Makes a socket, and replaces a stale socket. The caller must hold the lock of the state folder.
    /// - Parameter isForAll: whether every user may connect.
    package static func made(at path: String, isForAll: Bool) throws(SystemError) -> ListeningSocket {
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        if mkdir("/" + folder, isForAll ? 0o755 : 0o700) < 0, errno != EEXIST {
            let remedy =
                errno == ENOENT ? "name a path in an existing folder with --socket, or set XDG_RUNTIME_DIR" : nil
            throw SystemError("mkdir", errno: errno, path: "/" + folder, remedy: remedy)
        }
        // A broker that runs as root may have created this folder already, with access for root alone.
        if path == DaemonPaths.systemSocket { try Descriptor.directory("/" + folder).setMode(0o755) }
        do throws(SystemError) {
            _ = try LocalSocket.connect(to: path, patience: .seconds(1))
            throw SystemError(
                "listen", errno: EADDRINUSE, path: path, remedy: "another daemon listens there: end that daemon first")
        } catch {
            if error.errno == ECONNREFUSED { try removeSocket(path) } else if error.errno != ENOENT { throw error }
        }
        return ListeningSocket(
            readied(try LocalSocket.listen(at: path, mode: isForAll ? 0o666 : 0o600)), isGiven: false)
    }

    /// Removes a socket at which no process listens. A file of another kind refuses connections too, but is not
    /// removed.
    private static func removeSocket(_ path: String) throws(SystemError) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemError(
                "listen", errno: ENOTSOCK, path: path,
                remedy: "the file there is not a socket: name another path with --socket"
            )
        }
        unlink(path)
    }

    /// Makes the socket refuse descriptors, because a client must send no descriptors before its hello. Kernels
    /// before 6.16 cannot refuse them. On those kernels, the daemon closes the descriptors.
    private static func readied(_ descriptor: consuming Descriptor) -> Descriptor {
        let socket = ControlSocket(owning: descriptor)
        _ = socket.setPassRights(false)
        return socket.takeDescriptor()
    }

    private static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }

    /// Replaces this program with another program and passes the socket on to that program. The call returns only by
    /// throwing an error.
    package func handOver(to program: String, _ arguments: [String]) throws(SystemError) -> Never {
        let number = descriptor.number
        // The descriptor may already have the right number. In that case, `dup2` would not clear its close-on-exec
        // flag.
        if number == Self.firstGiven {
            guard fcntl(number, F_SETFD, 0) == 0 else { throw SystemError("fcntl(F_SETFD)", errno: errno) }
        } else {
            guard dup2(number, Self.firstGiven) == Self.firstGiven else { throw SystemError("dup2", errno: errno) }
        }
        setenv("LISTEN_PID", "\(getpid())", 1)
        setenv("LISTEN_FDS", "1", 1)
        if !isGiven { setenv("LISTEN_FDNAMES", Self.ownName, 1) }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        words.append(nil)
        execv(program, words)
        throw SystemError("execv", errno: errno, path: program)
    }
}

/// Reports the daemon's state to the service manager that started it (`sd_notify`), if there is one.
package enum ServiceManager {
    /// The daemon accepts connections.
    package static func reportReady() { send("READY=1\nSTATUS=accepting connections") }
    /// The daemon is replacing itself with a new program.
    package static func reportReloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(MonotonicClock.now() / 1000)")
    }
    package static func reportStopping() { send("STOPPING=1\nSTATUS=ending extensions") }

    private static func send(_ text: String) {
        guard let place = getenv("NOTIFY_SOCKET") else { return }
        // An error is ignored, because the daemon also works without the service manager.
        try? LocalSocket.sendDatagram(text, to: String(cString: place))
    }
}
