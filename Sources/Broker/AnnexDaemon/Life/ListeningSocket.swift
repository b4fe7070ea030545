internal import AnnexBrokerAPI
package import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// Where a daemon's connections wait: made by the daemon, or given by whoever started it.
package struct ListeningSocket: ~Copyable, Sendable {
    package let descriptor: Descriptor
    /// Whether somebody else made it, and keeps it when the daemon ends.
    package let isGiven: Bool

    /// The first number that is given by systemd's rules.
    private static let firstGiven: Int32 = 3
    /// What a daemon calls the socket that it made itself, when it hands it to its next self.
    private static let ownName = "annexd-own"

    private init(_ descriptor: consuming Descriptor, isGiven: Bool) {
        self.descriptor = descriptor
        self.isGiven = isGiven
    }

    /// The socket that systemd, or the daemon's last self, gave (`LISTEN_FDS`); nil where none was.
    /// - Throws: `ENOTSOCK` where something else was given.
    package static func given() throws(SystemError) -> ListeningSocket? {
        guard Self.number("LISTEN_PID") == Int(getpid()), let count = Self.number("LISTEN_FDS"), count > 0 else {
            return nil
        }
        let isOwn = getenv("LISTEN_FDNAMES").map { String(cString: $0) } == ownName
        // Nobody else is to take them for his own.
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        let socket = Descriptor(owning: firstGiven)
        guard count == 1, LocalSocket.isListener(socket) else {
            throw SystemError(
                "LISTEN_FDS", errno: ENOTSOCK, remedy: "give one socket, with ListenSequentialPacket= in the unit")
        }
        guard fcntl(firstGiven, F_SETFD, FD_CLOEXEC) == 0 else { throw SystemError("fcntl(F_SETFD)", errno: errno) }
        try socket.stopBlocking()
        return ListeningSocket(readied(socket), isGiven: !isOwn)
    }

    /// Makes a socket, in place of one that nobody listens at any more. The state's lock is held.
    /// - Parameter isForAll: whether every user may connect.
    package static func made(at path: String, isForAll: Bool) throws(SystemError) -> ListeningSocket {
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        if mkdir("/" + folder, isForAll ? 0o755 : 0o700) < 0, errno != EEXIST {
            let remedy = errno == ENOENT ? "name a place that there is by --socket, or set XDG_RUNTIME_DIR" : nil
            throw SystemError("mkdir", errno: errno, path: "/" + folder, remedy: remedy)
        }
        // A broker of root's makes this one too, for itself alone.
        if path == DaemonPlace.systemSocket { try Descriptor.directory("/" + folder).setMode(0o755) }
        do throws(SystemError) {
            _ = try LocalSocket.connect(to: path, patience: .seconds(1))
            throw SystemError(
                "listen", errno: EADDRINUSE, path: path, remedy: "another daemon listens there: end it first")
        } catch {
            if error.errno == ECONNREFUSED { try removeSocket(path) } else if error.errno != ENOENT { throw error }
        }
        return ListeningSocket(
            readied(try LocalSocket.listen(at: path, mode: isForAll ? 0o666 : 0o600)), isGiven: false)
    }

    /// Removes a socket that nobody listens at; a file of another kind refuses connections, too.
    private static func removeSocket(_ path: String) throws(SystemError) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemError(
                "listen", errno: ENOTSOCK, path: path,
                remedy: "something else lies there: name another place by --socket"
            )
        }
        unlink(path)
    }

    /// Before its hello nobody can send a descriptor: the kernel refuses it (6.16; before, it is closed here).
    private static func readied(_ descriptor: consuming Descriptor) -> Descriptor {
        let socket = ControlSocket(owning: descriptor)
        _ = socket.setPassRights(false)
        return socket.takeDescriptor()
    }

    private static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }

    /// Starts a program in this one's place, which gets this socket. Comes back only where that fails.
    package func handOver(to program: String, _ arguments: [String]) throws(SystemError) -> Never {
        let number = descriptor.number
        // A number of its own first: `dup2` onto itself would leave it to be closed.
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
