internal import AnnexLinux
internal import AnnexNames
internal import AnnexRelay
internal import Glibc
internal import Synchronization

/// Answers a held `connect` of a program that reaches named hosts.
///
/// The program's sockets are in the sandbox's own network, which leads nowhere. For a connection to another machine,
/// the broker makes a socket in its own network, connects it, and puts it in the place of the program's socket. From
/// then on, the bytes go between the program and the other machine alone.
struct HostConnection: CallBoundHandler {
    static let withoutThread = CallStep.fail(errno: EAGAIN)

    /// Whether Landlock keeps the program from connecting TCP sockets itself. The broker lets the kernel connect a Unix
    /// socket, and the program could put another socket in its place meanwhile.
    let isGuarded: Bool
    private let routes: HostRoutes
    private var stage = Stage.new
    private var pauses = ConnectPauses()

    private enum Stage {
        case new, taken
        /// A connection within the sandbox was begun on the program's own socket.
        case inside
        /// The name of the address is being resolved.
        case resolving(Renewal)
        /// A connection to another machine was begun.
        case begun(HostSocket)
        /// A connection whose bytes the broker carries was begun.
        case relaying(RelayedConnection)
        /// There are too many such connections, and the call waits until this time for room.
        case crowded(InternetAddress, check: NamedHosts.Check, until: UInt64)
    }

    init(by routes: HostRoutes, isGuarded: Bool) {
        self.routes = routes
        self.isGuarded = isGuarded
    }

    mutating func handle(_ call: HeldCall, on listener: borrowing Descriptor) -> CallStep {
        do throws(SystemError) {
            switch stage {
            case .new:
                stage = .taken
                return .again()
            case .taken: return try begin(call, on: listener)
            case .inside:
                let socket = try ConnectCall.socket(of: call, on: listener)
                return step(after: ConnectCall.look(at: socket, of: call))
            case .resolving(let renewal): return try goOn(after: renewal, call, on: listener)
            case .begun(let socket): return try step(after: socket.look(of: call), at: socket, of: call, on: listener)
            case .relaying(let connection): return step(after: connection, call)
            case .crowded(let address, let check, _):
                let socket = try ConnectCall.socket(of: call, on: listener)
                return try relay(through: socket, to: address, check: check, of: call)
            }
        } catch {
            return .fail(errno: ConnectCall.errno(for: error))
        }
    }

    private mutating func begin(
        _ call: HeldCall, on listener: borrowing Descriptor
    ) throws(SystemError) -> CallStep {
        let socket = try ConnectCall.socket(of: call, on: listener)
        let (family, isTCP) = try ConnectCall.kind(of: socket)
        guard family == AF_INET || family == AF_INET6 else {
            // Sockets of other kinds reach only what the sandbox shows.
            return isGuarded ? .proceed : .deny(errno: EACCES, reason: Self.unguarded)
        }
        let bytes = try ConnectCall.addressBytes(of: call, on: listener)
        guard let isInside = try routes.isInside(socket) else {
            stage = .taken
            return .again(at: pauses.moment())
        }
        if !isInside, let errno = HostSocket.fault(of: socket) { return .fail(errno: errno) }
        guard let address = InternetAddress(bytes) else {
            // An address of no family ends a connection, so that the socket can connect again.
            guard bytes.starts(with: [0, 0]), isInside else { return .fail(errno: EAFNOSUPPORT) }
            return step(after: ConnectCall.disconnect(socket))
        }
        guard isTCP else { return datagrams(to: address, through: socket, isInside: isInside, of: call) }
        let destination = routes.hosts.destination(of: address)
        return try connect(to: destination, named: address, through: socket, of: call, on: listener)
    }

    private static let unguarded =
        "beside named hosts, connections to local sockets need Landlock ABI 4 (Linux 6.7), which this kernel lacks"

    /// Connects a socket of datagrams, which reaches the sandbox alone.
    private mutating func datagrams(
        to address: InternetAddress, through socket: borrowing Descriptor, isInside: Bool, of call: HeldCall
    ) -> CallStep {
        if address.isLoopback, isInside { return step(after: ConnectCall.begin(socket, to: address)) }
        if routes.hosts.isKnown(address) { return .fail(errno: ENETUNREACH) }
        let number = Int32(truncatingIfNeeded: call.arguments[0])
        return .deny(
            errno: ENETUNREACH,
            reason: "datagrams reach the sandbox alone, and its resolver answers questions for names",
            text: "connect(\(number), \(address.text))")
    }

    private mutating func connect(
        to destination: NamedHosts.Destination, named address: InternetAddress, through socket: borrowing Descriptor,
        of call: HeldCall, on listener: borrowing Descriptor
    ) throws(SystemError) -> CallStep {
        switch destination {
        case .inside:
            // A socket of another network would reach this machine.
            guard try routes.isInside(socket) == true else { return .fail(errno: EADDRNOTAVAIL) }
            return step(after: ConnectCall.begin(socket, to: address))
        case .refused(let refusal): return .refuse(refusal, errno: EACCES)
        case .lost: return .fail(errno: EHOSTUNREACH)
        case .old(let name):
            let renewal = Renewal(of: address)
            stage = .resolving(renewal)
            routes.hosts.renew(name) { _ in renewal.finish() }
            return .again(at: pauses.moment())
        case .machine(let machine, let check):
            if check != .none || Self.mustKeep(socket, of: call) {
                return try relay(through: socket, to: machine, check: check, of: call)
            }
            let made = try HostSocket(to: machine, like: socket)
            return try step(after: made.begin(of: call), at: made, of: call, on: listener)
        }
    }

    /// Whether the program would lose its socket if another one came in its place. A program that waits for its
    /// connection gives the socket away afterwards.
    private static func mustKeep(_ socket: borrowing Descriptor, of call: HeldCall) -> Bool {
        guard fcntl(socket.number, F_GETFL) & O_NONBLOCK != 0 else { return false }
        return SocketHolders.include(socket, besides: Int32(truncatingIfNeeded: call.arguments[0]), of: call.thread)
    }

    /// How long a call waits for room among the connections that the broker carries.
    private static let patience = Duration.seconds(1)

    /// Begins a connection whose bytes the broker carries.
    private mutating func relay(
        through socket: borrowing Descriptor, to machine: InternetAddress, check: NamedHosts.Check, of call: HeldCall
    ) throws(SystemError) -> CallStep {
        let family: LoopbackFamily = try ConnectCall.option(SO_DOMAIN, of: socket) == AF_INET ? .four : .six
        let begun = try routes.relayed.connect(
            socket.duplicate(), family: family, to: machine, check: check)
        if let begun { return step(after: begun, call) }
        let end: UInt64
        if case .crowded(_, _, let until) = stage {
            end = until
        } else {
            end = MonotonicClock.deadline(after: Self.patience)
        }
        if call.isDisturbed || MonotonicClock.now() > end { return .fail(errno: EAGAIN) }
        stage = .crowded(machine, check: check, until: end)
        return .again(at: pauses.moment())
    }

    private mutating func step(after connection: RelayedConnection, _ call: HeldCall) -> CallStep {
        // A program that does not wait learns of the answer by its socket.
        if !connection.isWaitedFor { return .fail(errno: EINPROGRESS) }
        switch connection.outcome {
        case .connected: return .complete
        case .failed(let errno): return .fail(errno: errno)
        case .waiting:
            if call.isDisturbed {
                connection.abort()
                return .fail(errno: EINTR)
            }
            stage = .relaying(connection)
            return .again(at: pauses.moment())
        }
    }

    private mutating func goOn(
        after renewal: Renewal, _ call: HeldCall, on listener: borrowing Descriptor
    ) throws(SystemError) -> CallStep {
        guard renewal.isDone else { return call.isDisturbed ? .fail(errno: EINTR) : .again(at: pauses.moment()) }
        let socket = try ConnectCall.socket(of: call, on: listener)
        let destination = routes.hosts.destination(of: renewal.address, isRenewed: true)
        return try connect(to: destination, named: renewal.address, through: socket, of: call, on: listener)
    }

    /// What comes after a look at a connection within the sandbox.
    private mutating func step(after outcome: ConnectCall.Outcome) -> CallStep {
        switch outcome {
        case .connected: return .complete
        case .failed(let errno): return .fail(errno: errno)
        case .waiting:
            stage = .inside
            return .again(at: pauses.moment())
        }
    }

    /// What comes after a look at a connection to another machine. A program that does not wait gets the socket before
    /// the machine has answered, and learns of the answer by the socket.
    private mutating func step(
        after outcome: ConnectCall.Outcome, at socket: HostSocket, of call: HeldCall, on listener: borrowing Descriptor
    ) throws(SystemError) -> CallStep {
        switch outcome {
        case .connected:
            try socket.replace(in: call, on: listener)
            return .complete
        case .failed(EINPROGRESS):
            try socket.replace(in: call, on: listener)
            return .fail(errno: EINPROGRESS)
        case .failed(let errno): return .fail(errno: errno)
        case .waiting:
            stage = .begun(socket)
            return .again(at: pauses.moment())
        }
    }
}

/// A name that is being resolved for a connection.
private final class Renewal: Sendable {
    let address: InternetAddress
    /// SYNC: the flag orders no other data. The addresses are read under a lock of their own.
    private let done = Atomic<Bool>(false)

    init(of address: InternetAddress) { self.address = address }

    func finish() { done.store(true, ordering: .relaxed) }

    var isDone: Bool { done.load(ordering: .relaxed) }
}
