import AnnexTodayPage
import AnnexTodayProgram
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Serves the page of the Today view to browsers on this machine. SwiftNIO handles HTTP.
///
/// Only programs of the same user get a connection. Connections without progress are closed, and the number of
/// connections is limited. So a program that connects but sends and reads nothing takes little memory, and delays other
/// programs only for a limited time.
struct LocalServer: PageServer {
    /// The most connections at the same time. Browsers open about six connections for a page. Further connections wait
    /// until another is closed.
    private static let mostConnections = 64

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let listener: any Channel
    /// The port at which the page is served.
    let port: Int

    /// Listens only at the loopback address.
    /// - Parameters:
    ///   - port: the port. 0 stands for any free port.
    ///   - page: the page that answers all requests.
    init(port: Int, page: TodayPage) async throws {
        let gate = ConnectionGate(most: Self.mostConnections)
        listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 16)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try gate.admit(channel)
                    let handlers = channel.pipeline.syncOperations
                    try handlers.configureHTTPServerPipeline(withErrorHandling: true)
                    try handlers.addHandler(PageConnection(page))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        self.port = listener.localAddress?.port ?? port
    }

    /// Connects to the page to test the gate. If the kernel did not say which user connects, the gate would refuse
    /// every browser without a message.
    func checkGate() async throws {
        let own = try await ClientBootstrap(group: group).connect(host: "127.0.0.1", port: port).get()
        let isOwn = try AnnexTodayProgram.isOwnUser(from: own.localAddress?.port ?? 0, to: port)
        try await own.close()
        guard isOwn else { throw AnnexTodayProgram.blindGate }
    }

    /// Closes the port and all connections.
    func close() async {
        try? await listener.close()
        try? await group.shutdownGracefully()
    }
}

/// Decides which connections are accepted. It accepts a limited number, and only connections of this program's user.
private final class ConnectionGate: Sendable {
    private let most: Int
    private let count = Mutex(0)

    init(most: Int) { self.most = most }

    enum Refusal: Error {
        case tooMany
        case anotherUser
    }

    /// - Throws: an error if the connection is refused. The error closes the connection.
    func admit(_ channel: any Channel) throws {
        try count.withLock { count in
            guard count < most else { throw Refusal.tooMany }
            count += 1
        }
        channel.closeFuture.whenComplete { [self] _ in count.withLock { $0 -= 1 } }
        // The call below asks the kernel for the user of the connection between two ports of 127.0.0.1. A connection
        // from another address could have the same ports, so it is refused.
        guard channel.remoteAddress?.ipAddress == "127.0.0.1",
            let peer = channel.remoteAddress?.port, let own = channel.localAddress?.port,
            try AnnexTodayProgram.isOwnUser(from: peer, to: own)
        else { throw Refusal.anotherUser }
    }
}
