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
    /// How often the rules had changed when they decided about this connection.
    private var changes: Int?
    private let pauses = ConnectPauses()

    private enum Stage {
        case new, taken
        /// A connection within the sandbox was begun on the program's own socket.
        case inside(HeldSocket)
        /// The name of the address is being resolved.
        case resolving(CallEvent, of: InternetAddress, HeldSocket)
        /// A connection to another machine was begun.
        case begun(HostSocket, HeldSocket)
        /// A connection whose bytes the broker carries was begun.
        case relaying(RelayedConnection, HeldSocket)
        /// There are too many such connections, and the call waits until this time for room.
        case crowded(InternetAddress, check: NamedHosts.Check, until: UInt64, HeldSocket)
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
            case .inside(let socket): return step(after: ConnectCall.look(at: socket.descriptor, of: call), at: socket)
            case .resolving(let resolved, let address, let socket):
                guard resolved.hasHappened else { return wait(of: call, on: socket, until: resolved) }
                let destination = routes.hosts.destination(of: address, isRenewed: true)
                return try connect(to: destination, named: address, through: socket, of: call, on: listener)
            case .begun(let made, let socket):
                return try step(after: made.look(of: call), at: made, through: socket, of: call, on: listener)
            case .relaying(let connection, let socket): return step(after: connection, at: socket, of: call)
            case .crowded(let address, let check, _, let socket):
                return try relay(through: socket, to: address, check: check, of: call)
            }
        } catch {
            return .fail(errno: ConnectCall.errno(for: error))
        }
    }

    func abandon() {
        if case .relaying(let connection, _) = stage { connection.abort() }
    }

    private mutating func begin(
        _ call: HeldCall, on listener: borrowing Descriptor
    ) throws(SystemError) -> CallStep {
        guard let socket = try HeldSocket(of: call, on: listener, by: routes) else {
            return .again(at: pauses.moment())
        }
        guard socket.isOfInternet else {
            // Sockets of other kinds reach only what the sandbox shows.
            return isGuarded ? .proceed : .deny(errno: EACCES, reason: Self.unguarded)
        }
        let bytes = try ConnectCall.addressBytes(of: call, on: listener)
        // An address of no family ends a connection, so that the socket can connect again.
        if bytes.starts(with: [0, 0]) { return step(after: ConnectCall.disconnect(socket.descriptor), at: socket) }
        guard let address = InternetAddress(bytes) else { return .fail(errno: EAFNOSUPPORT) }
        guard socket.isTCP else { return datagrams(to: address, through: socket, of: call) }
        if let repetition = ConnectCall.repetition(on: socket.descriptor) { return step(after: repetition, at: socket) }
        changes = routes.hosts.changes
        let destination = routes.hosts.destination(of: address)
        return try connect(to: destination, named: address, through: socket, of: call, on: listener)
    }

    static let unguarded =
        "beside named hosts, local sockets need Landlock ABI 4 (Linux 6.7), which this kernel lacks"

    /// Connects a socket of datagrams, which reaches the sandbox alone.
    private mutating func datagrams(
        to address: InternetAddress, through socket: HeldSocket, of call: HeldCall
    ) -> CallStep {
        if address.isLoopback, socket.isInside {
            return step(after: ConnectCall.begin(socket.descriptor, to: address), at: socket)
        }
        if routes.hosts.isKnown(address) { return .fail(errno: ENETUNREACH) }
        let number = Int32(truncatingIfNeeded: call.arguments[0])
        return .deny(
            errno: ENETUNREACH,
            reason: "datagrams reach the sandbox alone, and its resolver answers questions for names",
            text: "connect(\(number), \(address.text))")
    }

    private mutating func connect(
        to destination: NamedHosts.Destination, named address: InternetAddress, through socket: HeldSocket,
        of call: HeldCall, on listener: borrowing Descriptor
    ) throws(SystemError) -> CallStep {
        switch destination {
        case .inside:
            // A socket of another network would reach this machine.
            guard socket.isInside else { return .fail(errno: EADDRNOTAVAIL) }
            return step(after: ConnectCall.begin(socket.descriptor, to: address), at: socket)
        case .refused(let refusal): return .refuse(refusal, errno: EACCES)
        case .lost: return .fail(errno: EHOSTUNREACH)
        case .old(let name):
            let resolved = CallEvent()
            stage = .resolving(resolved, of: address, socket)
            routes.hosts.renew(name) { _ in resolved.happen() }
            return .again(at: pauses.moment(), or: resolved)
        case .machine(let machine, let check):
            let number = Int32(truncatingIfNeeded: call.arguments[0])
            if check != .none || SocketHolders.include(socket, besides: number, in: routes.family) {
                return try relay(through: socket, to: machine, check: check, of: call)
            }
            let made = try HostSocket(to: machine, like: socket.descriptor, unlike: routes.fresh(socket.family))
            return try step(after: made.begin(of: call), at: made, through: socket, of: call, on: listener)
        }
    }

    /// How long a call waits for room among the connections that the broker carries.
    private static let patience = Duration.seconds(1)

    /// Begins a connection whose bytes the broker carries.
    private mutating func relay(
        through socket: HeldSocket, to machine: InternetAddress, check: NamedHosts.Check, of call: HeldCall
    ) throws(SystemError) -> CallStep {
        // A socket of another network cannot be joined with one of the sandbox.
        guard socket.isInside else { return .fail(errno: EADDRNOTAVAIL) }
        let begun: RelayedConnection?
        do throws(SystemError) {
            begun = try routes.relayed.connect(
                socket.descriptor.duplicate(), family: socket.family == AF_INET ? .four : .six, to: machine,
                check: check)
        } catch {
            return .fail(errno: error.errno)
        }
        if let begun {
            if !mayGoOn(to: machine) { begun.abort() }
            return step(after: begun, at: socket, of: call)
        }
        let end: UInt64
        if case .crowded(_, _, let until, _) = stage {
            end = until
        } else {
            end = MonotonicClock.deadline(after: Self.patience)
        }
        if call.isDisturbed { return .fail(errno: EINTR) }
        if MonotonicClock.now() > end {
            return .deny(
                errno: EAGAIN,
                reason: "the broker carries the bytes of \(RelayedConnections.most) connections at once, and they are "
                    + "all in use", text: "connect to \(machine.text)")
        }
        stage = .crowded(machine, check: check, until: end, socket)
        return .again(at: pauses.moment())
    }

    private mutating func step(
        after connection: RelayedConnection, at socket: HeldSocket, of call: HeldCall
    ) -> CallStep {
        // A program that does not wait learns of the answer by its socket.
        if !connection.isWaitedFor { return .fail(errno: EINPROGRESS) }
        switch connection.outcome {
        case .connected: return .complete
        case .failed(let errno): return .fail(errno: errno)
        case .waiting:
            if call.isDisturbed { connection.abort() }
            stage = .relaying(connection, socket)
            return wait(of: call, on: socket, until: connection.settled)
        }
    }

    /// What comes after a look at a connection within the sandbox, or on the socket itself.
    private mutating func step(after outcome: ConnectCall.Outcome, at socket: HeldSocket) -> CallStep {
        switch outcome {
        case .connected: return .complete
        case .failed(let errno): return .fail(errno: errno)
        case .waiting:
            stage = .inside(socket)
            return socket.hasTimedOut ? .fail(errno: EINPROGRESS) : .again(at: pauses.moment())
        }
    }

    /// What comes after a look at a connection to another machine. A program that does not wait gets the socket before
    /// the machine has answered, and learns of the answer by the socket.
    private mutating func step(
        after outcome: ConnectCall.Outcome, at made: HostSocket, through socket: HeldSocket, of call: HeldCall,
        on listener: borrowing Descriptor
    ) throws(SystemError) -> CallStep {
        switch outcome {
        case .connected:
            try give(made, to: call, on: listener)
            return .complete
        case .waiting where !socket.hasTimedOut:
            stage = .begun(made, socket)
            // The event can come without an answer, and does not come twice.
            return .again(at: pauses.moment(), or: made.answered.hasHappened ? nil : made.answered)
        case .failed(EINPROGRESS), .waiting:
            try give(made, to: call, on: listener)
            return .fail(errno: EINPROGRESS)
        case .failed(let errno): return .fail(errno: errno)
        }
    }

    /// Waits on, unless a signal or the program's own limit ends the call.
    private func wait(of call: HeldCall, on socket: HeldSocket, until event: CallEvent) -> CallStep {
        if call.isDisturbed { return .fail(errno: EINTR) }
        return socket.hasTimedOut ? .fail(errno: EINPROGRESS) : .again(at: pauses.moment(), or: event)
    }
}

extension HostConnection {
    private func give(_ socket: HostSocket, to call: HeldCall, on listener: borrowing Descriptor) throws(SystemError) {
        try socket.replace(in: call, on: listener)
        if !mayGoOn(to: socket.address) { socket.end() }
    }

    /// Whether the rules allow a connection that has begun. They may have been narrowed while it began, and the look at
    /// the program's sockets may have come before.
    private func mayGoOn(to machine: InternetAddress) -> Bool {
        routes.hosts.changes == changes || routes.hosts.permits(machine)
    }
}
