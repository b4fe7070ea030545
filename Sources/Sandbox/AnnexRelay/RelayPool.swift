package import AnnexLinux
internal import Synchronization

/// The sockets in the sandbox's network with which a relay connects to the program's own sockets.
///
/// The sandbox makes the sockets before the program runs, so no process with rights in the sandbox has to stay for
/// making more. A socket connects many times, one connection after another.
package final class RelayPool: Sendable {
    fileprivate struct State {
        var free: [LoopbackFamily: [RelaySocket]] = [:]
        /// Sockets whose connection is over, and whose last bytes the program has not received yet.
        var draining: [RelaySocket] = []
        /// Whether a look at these sockets is planned.
        var isWatched = false
        var isClosed = false
    }

    /// The time between two looks at sockets whose bytes are under way.
    private static let pause = Duration.milliseconds(100)

    private let state = Mutex(State())

    package init() {}

    package func add(_ socket: RelaySocket) { state.withLock { $0.add(socket) } }

    /// The socket that was not used for the longest time.
    package func take(_ family: LoopbackFamily) -> RelaySocket? {
        state.withLock { state in
            state.free[family]?.isEmpty == false ? state.free[family]?.removeFirst() : nil
        }
    }

    /// Whether a connection could begin. Each address has its own sockets, and a connection tries both addresses.
    package var hasRoom: Bool {
        state.withLock { state in !state.free.isEmpty && state.free.values.allSatisfy { !$0.isEmpty } }
    }

    /// Takes a socket back when its connection is over. If the connection failed, the program gets an error. Otherwise the
    /// socket is free when the program has received all bytes.
    /// - Parameters:
    ///   - loop: looks at sockets whose bytes are under way.
    ///   - looked: called after each such look. Sockets can be free since then.
    package func giveBack(
        _ socket: RelaySocket, hasFailed: Bool, on loop: EventLoop, looked: @escaping @Sendable () -> Void = {}
    ) {
        let mustWatch = state.withLock { state in
            state.giveBack(socket, hasFailed: hasFailed)
            defer { state.isWatched = !state.draining.isEmpty }
            return !state.draining.isEmpty && !state.isWatched
        }
        if mustWatch { watch(on: loop, looked) }
    }

    private func watch(on loop: EventLoop, _ looked: @escaping @Sendable () -> Void) {
        loop.schedule(after: Self.pause) { [weak self, weak loop] in
            guard let self else { return }
            let goesOn = state.withLock { state in
                let sockets = state.draining
                state.draining = []
                for socket in sockets { state.giveBack(socket, hasFailed: false) }
                state.isWatched = !state.draining.isEmpty
                return state.isWatched
            }
            if goesOn, let loop { watch(on: loop, looked) }
            looked()
        }
    }

    /// Closes all sockets, also those that come back later.
    package func close() { state.withLock { $0 = State(isClosed: true) } }
}

extension RelayPool.State {
    mutating func add(_ socket: RelaySocket) {
        guard !isClosed, let family = socket.pool else { return }
        free[family, default: []].append(socket)
    }

    mutating func giveBack(_ socket: RelaySocket, hasFailed: Bool) {
        guard hasFailed || socket.isAllReceived else { return isClosed ? () : draining.append(socket) }
        if socket.disconnect() { add(socket) }
    }
}
