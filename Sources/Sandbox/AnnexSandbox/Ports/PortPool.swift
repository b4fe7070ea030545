/// The sockets in the sandbox's network with which a relay connects to the program's published ports.
///
/// The sandbox makes the sockets before the program runs, so no process with rights in the sandbox has to stay for
/// making more. A socket connects many times, one connection after another.
struct PortPool {
    private var free: [LoopbackFamily: [PortSocket]] = [:]
    /// Sockets whose connection is over, and whose last bytes the program has not received yet.
    private var draining: [PortSocket] = []

    mutating func add(_ socket: PortSocket) {
        guard let family = socket.pool else { return }
        free[family, default: []].append(socket)
    }

    mutating func take(_ family: LoopbackFamily) -> PortSocket? { free[family]?.popLast() }

    /// Whether a connection could begin. Each address has its own sockets, and a connection tries both addresses.
    var hasRoom: Bool { !free.isEmpty && free.values.allSatisfy { !$0.isEmpty } }

    /// Whether bytes are under way to the program on sockets whose connection is over.
    var isDraining: Bool { !draining.isEmpty }

    /// Takes a socket back when its connection is over. If the connection failed, the program gets an error.
    mutating func giveBack(_ socket: PortSocket, hasFailed: Bool) {
        if hasFailed || socket.isAllReceived { reuse(socket) } else { draining.append(socket) }
    }

    /// Looks at the sockets whose bytes were under way.
    /// - Returns: whether some still are.
    mutating func drain() -> Bool {
        let sockets = draining
        draining = []
        for socket in sockets { giveBack(socket, hasFailed: false) }
        return !draining.isEmpty
    }

    private mutating func reuse(_ socket: PortSocket) {
        if socket.disconnect() { add(socket) }
    }
}
