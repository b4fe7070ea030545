/// The sockets in the sandbox's network with which a relay connects to the program's own sockets.
///
/// The sandbox makes the sockets before the program runs, so no process with rights in the sandbox has to stay for
/// making more. A socket connects many times, one connection after another.
package struct RelayPool: Sendable {
    private var free: [LoopbackFamily: [RelaySocket]] = [:]
    /// Sockets whose connection is over, and whose last bytes the program has not received yet.
    private var draining: [RelaySocket] = []

    package init() {}

    package mutating func add(_ socket: RelaySocket) {
        guard let family = socket.pool else { return }
        free[family, default: []].append(socket)
    }

    /// The socket that was not used for the longest time.
    package mutating func take(_ family: LoopbackFamily) -> RelaySocket? {
        free[family]?.isEmpty == false ? free[family]?.removeFirst() : nil
    }

    /// Whether a connection could begin. Each address has its own sockets, and a connection tries both addresses.
    package var hasRoom: Bool { !free.isEmpty && free.values.allSatisfy { !$0.isEmpty } }

    /// Whether bytes are under way to the program on sockets whose connection is over.
    package var isDraining: Bool { !draining.isEmpty }

    /// Takes a socket back when its connection is over. If the connection failed, the program gets an error.
    package mutating func giveBack(_ socket: RelaySocket, hasFailed: Bool) {
        if hasFailed || socket.isAllReceived { reuse(socket) } else { draining.append(socket) }
    }

    /// Looks at the sockets whose bytes were under way.
    /// - Returns: whether some still are.
    package mutating func drain() -> Bool {
        let sockets = draining
        draining = []
        for socket in sockets { giveBack(socket, hasFailed: false) }
        return !draining.isEmpty
    }

    private mutating func reuse(_ socket: RelaySocket) {
        if socket.disconnect() { add(socket) }
    }
}
