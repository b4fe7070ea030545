internal import AnnexLinux
internal import AnnexNames
internal import AnnexRelay
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// A connection of a program to another machine whose bytes the broker carries. It may read the beginning: the name
/// that a TLS client calls.
///
/// The program's own socket is joined with one of the broker in the sandbox's network. The broker carries the bytes
/// between this one and the other machine, and begins with that when it knows the name. The program's socket is
/// connected when the other machine has answered, and not before.
///
/// Except `begin` and `outcome`, all methods run on the thread of the loop.
final class RelayedConnection: Sendable {
    /// The result of the program's `connect`.
    enum Outcome: Sendable, Hashable {
        case waiting, connected
        case failed(errno: Int32)
    }

    private enum Phase {
        /// The other machine has not answered.
        case calling
        /// The program's socket and that of the broker are being joined.
        case joining
        /// The broker reads the beginning.
        case beginning(ConnectionBeginning)
        /// Bytes from the program to the other machine, and back.
        case relaying(forth: RelayFlow, back: RelayFlow)
        case over
    }

    private struct State: ~Copyable {
        var phase = Phase.calling
        var outcome = Outcome.waiting
        /// The program's socket, until it is joined. Afterwards the program alone holds it, so that its end is seen.
        var program: Descriptor?
        var watches: [EventLoop.Watch] = []
        /// The machine that the program called in the beginning.
        var called: ConnectionBeginning.Called?
        /// Whether the program has ended, so that only the bytes that it sent are still carried.
        var isClosing = false
        /// Whether the program's socket has begun to connect to the broker's.
        var isAwaited = false
    }

    /// What comes after a turn.
    private enum Next {
        case wait, again
        case end(hasFailed: Bool)
    }

    /// When it began, in the time of `MonotonicClock`.
    let begun = MonotonicClock.now()
    let near: RelaySocket
    let far: RelaySocket
    private let family: LoopbackFamily
    private let address: InternetAddress
    private let check: NamedHosts.Check
    /// Whether the program's thread waits in `connect`.
    let isWaitedFor: Bool
    /// The outcome is known.
    let settled = CallEvent()
    private let hosts: NamedHosts
    private let loop: EventLoop
    private let ended: @Sendable (RelayedConnection, _ hasFailed: Bool) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - program: the program's socket, which is not connected.
    ///   - near: a socket in the sandbox's network, of the same kind of addresses.
    ///   - far: a new socket of the broker's network.
    ///   - ended: called once, when the connection needs its sockets no more.
    init(
        _ program: consuming Descriptor, near: RelaySocket, far: RelaySocket, family: LoopbackFamily,
        to address: InternetAddress, check: NamedHosts.Check, of hosts: NamedHosts, on loop: EventLoop,
        ended: @escaping @Sendable (RelayedConnection, _ hasFailed: Bool) -> Void
    ) {
        (self.near, self.far, self.family, self.address) = (near, far, family, address)
        self.check = check
        (self.hosts, self.loop, self.ended) = (hosts, loop, ended)
        isWaitedFor = fcntl(program.number, F_GETFL) & O_NONBLOCK == 0
        var state = State()
        state.program = consume program
        self.state = Mutex(state)
    }

    var outcome: Outcome { state.withLock { $0.outcome } }

    /// Whether bytes go both ways.
    var isOpen: Bool {
        state.withLock { state in
            if case .relaying = state.phase { true } else { false }
        }
    }

    /// Whether the other machine has not answered.
    var isCalling: Bool {
        state.withLock { state in
            if case .calling = state.phase { true } else { false }
        }
    }

    /// Begins to connect. If the program does not wait, its socket begins too.
    /// - Throws: the reason why the program's `connect` fails at once.
    func begin() throws(SystemError) {
        do throws(SystemError) {
            let place = try near.bind(family)
            if address.connect(far.descriptor.number) != 0, errno != EINPROGRESS {
                throw SystemError("connect", errno: errno)
            }
            if !isWaitedFor { try awaitPeer(at: place) }
            let watches = try [near, far].map { socket throws(SystemError) in
                try loop.watchStream(socket.descriptor.number) { [weak self] in self?.turn() }
            }
            state.withLock { $0.watches = watches }
        } catch {
            end(hasFailed: true, errno: error.errno)
            throw error
        }
        loop.execute { [weak self] in self?.turn() }
    }

    private func awaitPeer(at place: UInt16) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in
            switch state.program {
            case .some(let program): try RelaySocket.awaitPeer(program, at: place, family: family)
            case .none: break
            }
            state.isAwaited = true
        }
    }

    // MARK: - Turns

    private func turn() {
        let next: Next
        do throws(SystemError) {
            next = try state.withLock { (state) throws(SystemError) in try advance(&state) }
        } catch {
            return end(hasFailed: true, errno: error.errno)
        }
        if outcome != .waiting { settled.happen() }
        switch next {
        case .wait: break
        case .again: loop.execute { [weak self] in self?.turn() }
        case .end(let hasFailed): end(hasFailed: hasFailed, errno: ECONNABORTED)
        }
    }

    private func advance(_ state: inout State) throws(SystemError) -> Next {
        switch state.phase {
        case .calling:
            let fault = far.fault()
            if fault != 0 { throw SystemError("connect", errno: fault) }
            guard far.isConnected else { return .wait }
            try join(&state)
            state.phase = .joining
            return .again
        case .joining:
            let fault = near.fault()
            if fault != 0 { throw SystemError("connect", errno: fault) }
            guard near.isConnected else { return .wait }
            if isWaitedFor { Self.confirm(&state) }
            state.program = nil
            state.outcome = .connected
            let beginning = ConnectionBeginning(check, of: address, among: hosts)
            state.phase = beginning.map { .beginning($0) } ?? .relaying(forth: RelayFlow(), back: RelayFlow())
            return .again
        case .beginning(let beginning): return try read(beginning, into: &state)
        case .relaying(var forth, var back):
            let next = carry(&forth, back: &back, isClosing: state.isClosing)
            state.phase = .relaying(forth: forth, back: back)
            return next
        case .over: return .wait
        }
    }

    /// Notes in the program's socket that the program's call says that the connection was made.
    private static func confirm(_ state: inout State) {
        switch state.program {
        case .some(let program): _ = annex_host_repeat(program.number)
        case .none: break
        }
    }

    private func join(_ state: inout State) throws(SystemError) {
        switch state.program {
        case .some(let program):
            if !state.isAwaited { try RelaySocket.awaitPeer(program, at: near.ownPort(), family: family) }
            state.isAwaited = true
            try near.beginJoining(program, family: family)
        case .none: throw SystemError("connect", errno: EBADF)
        }
    }

    private func read(_ beginning: ConnectionBeginning, into state: inout State) throws(SystemError) -> Next {
        var beginning = beginning
        let step = try beginning.advance(from: near, to: far)
        state.phase = .beginning(beginning)
        state.called = beginning.called
        switch step {
        case .waits: return .wait
        case .goesOn: return .again
        case .ended: return .end(hasFailed: false)
        case .isOver(let forth, let back):
            state.phase = .relaying(forth: forth, back: back)
            return .again
        case .refused(let refusal, let answer):
            hosts.refuse(refusal)
            guard !answer.isEmpty else { return .end(hasFailed: true) }
            _ = near.send(answer[...])
            near.endSending()
            return .end(hasFailed: false)
        }
    }

    private func carry(_ forth: inout RelayFlow, back: inout RelayFlow, isClosing: Bool) -> Next {
        let there = forth.carry(from: near, to: far)
        let here = back.carry(from: far, to: near)
        // A flow that waits for its receiver does not read from its sender, and so does not learn of a reset.
        if there == .failed || here == .failed || near.hasFailed() || far.hasFailed() { return .end(hasFailed: true) }
        if forth.isOver, back.isOver || isClosing { return .end(hasFailed: false) }
        return there == .goesOn || here == .goesOn ? .again : .wait
    }

    // MARK: - The end

    /// Carries only what the program has sent, and then ends the connection.
    func close() {
        let isCalling = state.withLock { state in
            state.isClosing = true
            return state.outcome == .waiting
        }
        if isCalling { abort() } else { turn() }
    }

    /// Ends the connection if the program may not have it any more.
    func endIfRefused() {
        let called = state.withLock { $0.called }
        let isAllowed = called.map { hosts.allows($0.host, port: $0.port) } ?? hosts.permits(address)
        if !isAllowed { abort() }
    }

    /// Ends the connection at once, as an error for both sides.
    func abort() { end(hasFailed: true, errno: ECONNABORTED) }

    /// Ends the connection if bytes do not go both ways yet.
    func giveUp() { if !isOpen { end(hasFailed: true, errno: ETIMEDOUT) } }

    private func end(hasFailed: Bool, errno: Int32) {
        let isFirst = state.withLock { state in
            if case .over = state.phase { return false }
            state.phase = .over
            if state.outcome == .waiting { state.outcome = .failed(errno: errno) }
            // A program that does not wait learns of the failure by its socket.
            switch state.program {
            case .some(let program): if state.isAwaited { _ = shutdown(program.number, Int32(SHUT_RDWR)) }
            case .none: break
            }
            state.program = nil
            return true
        }
        guard isFirst else { return }
        let watches = state.withLock { state in
            defer { state.watches = [] }
            return state.watches
        }
        for watch in watches { watch.cancel() }
        settled.happen()
        if hasFailed { far.resetAtClose() }
        ended(self, hasFailed)
    }
}
