internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import Glibc
internal import Synchronization

extension DaemonLink {
    /// A connection whose daemon has said its welcome.
    /// - Parameter places: sockets; the first one at which somebody listens is taken.
    static func connect(to places: [String], patience: Duration) throws(BrokerError) -> DaemonLink {
        let deadline = MonotonicClock.deadline(after: patience)
        var path = places.last ?? ""
        do {
            let loop = try EventLoop.shared()
            while true {
                let socket = try open(places, &path, until: deadline)
                try check(peerOf: socket, path: path)
                // No descriptor ever comes from a daemon; kernels before 6.16 cannot refuse it, there it is closed.
                _ = socket.setPassRights(false)
                let link = DaemonLink(socket, path: path, patience: patience, loop: loop)
                if try link.shakeHands(until: deadline) {
                    try link.begin()
                    return link
                }
                // A daemon that starts anew lets go of who has not been welcomed; the next one takes him.
                for _ in 0..<20 { MonotonicClock.pause() }
            }
        } catch let error as SystemError {
            throw Self.error(error, path: path, isChosen: places == DaemonPlace.sockets)
        } catch let error as BrokerError {
            throw error
        } catch {
            throw BrokerError(.system, "\(error)", place: path)
        }
    }

    /// The first socket at which somebody listens. Where nobody does, the first one's error is told: it is the one that was
    /// meant to be there.
    /// - Parameter path: which of the places that is, or where it failed.
    private static func open(
        _ places: [String], _ path: inout String, until deadline: UInt64
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

    /// A socket that another user laid there must not get what this host has to say.
    private static func check(peerOf socket: borrowing ControlSocket, path: String) throws {
        let user = try PeerCredentials(of: socket).user
        guard user == 0 || user == geteuid() else {
            throw BrokerError(
                .unreachable, "is the socket of user \(user)", place: path,
                remedy: "name the socket of a daemon of your own or of the system's")
        }
    }

    /// - Returns: false where the daemon goes, or let go of the connection without a word.
    private func shakeHands(until deadline: UInt64) throws -> Bool {
        // Where the daemon has let go already, its word why is there to be read.
        _ = try? pass(.hello(versions: ServiceWire.versions))
        while MonotonicClock.now() < deadline {
            switch try socket.receive(atMost: ServiceWire.fromDaemon.bytes) {
            case .nothing: socket.descriptor.waitUntilReadable(until: deadline)
            case .end: return try mayTryAgain(until: deadline)
            case .message(let message):
                switch try DaemonPacketMessage(decoding: message.bytes, within: ServiceWire.fromDaemon).packet {
                case .welcome(let version):
                    guard ServiceWire.versions.contains(version) else { throw misunderstanding }
                    state.withLock { $0.version = version }
                    return true
                case .leaving: return try mayTryAgain(until: deadline)
                case .refused(let error): throw BrokerError(error.code, error.what, place: path, remedy: error.remedy)
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

    /// - Parameter isChosen: whether the path was looked for, and not given.
    private static func error(_ error: SystemError, path: String, isChosen: Bool) -> BrokerError {
        let remedy =
            switch error.errno {
            case ENOENT, ECONNREFUSED: start(path, isChosen)
            case EACCES: "this daemon is not for you: \(startOwn)"
            case EAGAIN: "the machine is overloaded, or something stopped the daemon"
            default: error.remedy
            }
        // The machine's is asked only if there is none of the user's own.
        let isLast = isChosen && path == DaemonPlace.systemSocket
        let what = isLast ? "there is no daemon of yours at \(DaemonPlace.userSocket), and here: " : ""
        return BrokerError(.unreachable, "\(what)\(error.cause)", place: path, remedy: remedy)
    }

    private static let startOwn = "start one of your own: annexd, or systemctl --user enable --now annexd.socket"

    private static func start(_ path: String, _ isChosen: Bool) -> String {
        let machines = "start the machine's, as root: systemctl enable --now annexd.socket"
        return switch path {
        case DaemonPlace.systemSocket: isChosen ? "\(startOwn); or \(machines)" : machines
        case DaemonPlace.userSocket: startOwn
        default: "start it there: annexd --socket \(path)"
        }
    }
}
