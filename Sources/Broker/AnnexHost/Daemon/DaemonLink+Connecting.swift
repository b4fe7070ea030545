internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import Glibc
internal import Synchronization

extension DaemonLink {
    /// Makes a connection and waits for the daemon's welcome.
    /// - Parameter places: sockets to try in order. The first socket at which a daemon listens is used.
    static func connect(to places: [String], patience: Duration) throws(BrokerError) -> DaemonLink {
        let deadline = MonotonicClock.deadline(after: patience)
        var path = places.last ?? ""
        do {
            let loop = try EventLoop.shared()
            while true {
                let socket = try open(places, path: &path, until: deadline)
                try check(peerOf: socket, path: path)
                // A daemon never sends descriptors. Kernels before 6.16 cannot reject descriptors in advance. On those
                // kernels, descriptors are closed when they arrive.
                _ = socket.setPassRights(false)
                let link = DaemonLink(socket, path: path, patience: patience, loop: loop)
                if try link.shakeHands(until: deadline) {
                    try link.begin()
                    return link
                }
                // A daemon that restarts drops the connections that it has not welcomed. Its successor accepts this
                // host's next connection.
                for _ in 0..<20 { MonotonicClock.pause() }
            }
        } catch let error as SystemError {
            throw Self.error(error, path: path, isChosen: places == DaemonPaths.sockets)
        } catch let error as BrokerError {
            throw error
        } catch {
            throw BrokerError(.system, what: "\(error)", place: path)
        }
    }

    /// Connects to the first socket at which a daemon listens. If no daemon listens at any socket, this function throws
    /// the first socket's error, because that socket is preferred.
    /// - Parameter path: set to the path of the used socket, or of the socket that the error is about.
    private static func open(
        _ places: [String], path: inout String, until deadline: UInt64
    ) throws(SystemError) -> ControlSocket {
        var first: (error: SystemError, place: String)?
        for place in places {
            path = place
            do throws(SystemError) {
                return try open(place, until: deadline)
            } catch {
                guard error.errno == ECONNREFUSED || error.errno == ENOENT else { throw error }
                first = first ?? (error, place)
            }
        }
        path = first?.place ?? path
        throw first?.error ?? SystemError("connect", errno: ENOENT)
    }

    private static func open(_ place: String, until deadline: UInt64) throws(SystemError) -> ControlSocket {
        try LocalSocket.connect(
            to: place, patience: .nanoseconds(Int64(clamping: MonotonicClock.remaining(until: deadline))))
    }

    /// Checks the user of the daemon. Another user may have created the socket. That user must not get this host's
    /// data.
    private static func check(peerOf socket: borrowing ControlSocket, path: String) throws {
        let user = try PeerCredentials(of: socket).user
        guard user == 0 || user == geteuid() else {
            throw BrokerError(
                .unreachable, what: "belongs to user \(user)", place: path,
                remedy: "name the socket of your own daemon or of the machine's daemon")
        }
    }

    /// - Returns: false if the daemon is ending, or closed the connection without a reason.
    private func shakeHands(until deadline: UInt64) throws -> Bool {
        // Sending fails if the daemon has already closed the connection. Even then, the packet with the daemon's reason
        // for this can still be read.
        _ = try? pass(.hello(versions: ServiceWire.versions))
        while MonotonicClock.now() < deadline {
            switch try socket.receive(atMost: ServiceWire.fromDaemon.bytes) {
            case .nothing: socket.descriptor.waitUntilReadable(until: deadline)
            case .end: return try mayTryAgain(until: deadline)
            case .message(let message):
                switch try DaemonPacketMessage(decoding: message.bytes, within: ServiceWire.fromDaemon).packet {
                case .welcome(let version, let window):
                    guard ServiceWire.versions.contains(version) else { throw misunderstanding }
                    state.withLock { state in
                        state.version = version
                        state.window.resize(window)
                    }
                    return true
                case .leaving: return try mayTryAgain(until: deadline)
                case .rejected(let error):
                    throw BrokerError(error.code, what: error.what, place: path, remedy: error.remedy)
                default: throw misunderstanding
                }
            }
        }
        throw unanswered(after: patience)
    }

    private func mayTryAgain(until deadline: UInt64) throws -> Bool {
        guard MonotonicClock.now() < deadline else { throw unanswered(after: patience) }
        return false
    }

    /// - Parameter isChosen: true if the host searched for the daemon. It is false if the host's caller gave the path.
    private static func error(_ error: SystemError, path: String, isChosen: Bool) -> BrokerError {
        let remedy =
            switch error.errno {
            case ENOENT, ECONNREFUSED: start(path, isChosen: isChosen)
            case EACCES: "this daemon does not serve your user: \(startOwn)"
            case EAGAIN: "reduce the machine's load, and check that no program has stopped annexd"
            default: error.remedy
            }
        // The search tries the machine's socket only if the user has no daemon of their own.
        let isLast = isChosen && path == DaemonPaths.systemSocket
        let what =
            isLast ? "your user has no daemon at \(DaemonPaths.userSocket), and this socket cannot be reached: " : ""
        return BrokerError(.unreachable, what: "\(what)\(error.cause)", place: path, remedy: remedy)
    }

    private static let startOwn = "start one of your own: annexd, or systemctl --user enable --now annexd.socket"

    private static func start(_ path: String, isChosen: Bool) -> String {
        let machines = "start the machine's daemon as root: systemctl enable --now annexd.socket"
        return switch path {
        case DaemonPaths.systemSocket: isChosen ? "\(startOwn); or \(machines)" : machines
        case DaemonPaths.userSocket: startOwn
        default: "start a daemon there: annexd --socket \(path)"
        }
    }
}
