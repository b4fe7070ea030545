import AnnexTodayPage
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Serves the page to browsers of this machine. The HTTP is SwiftNIO's.
///
/// Connections that do not get on are closed, and there are few at a time. So a program that connects and says nothing, or reads nothing,
/// keeps neither memory nor other readers.
struct PageServer: Sendable {
    /// Browsers open about six connections for a page. Further ones wait until one is closed.
    private static let mostConnections = 64
    /// How long a connection may do nothing. A stream of events may be silent.
    private static let patience = TimeAmount.seconds(30)

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let listener: any Channel
    /// At which the page is served.
    let port: Int

    /// Listens at the loopback address alone.
    /// - Parameters:
    ///   - port: 0 for any free one.
    ///   - page: answers all requests.
    init(port: Int, page: TodayPage) async throws {
        let connections = ConnectionCount(most: Self.mostConnections)
        listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 16)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try connections.add(channel)
                    let handlers = channel.pipeline.syncOperations
                    try handlers.configureHTTPServerPipeline(withErrorHandling: true)
                    try handlers.addHandler(
                        IdleStateHandler(readTimeout: Self.patience, writeTimeout: nil, allTimeout: nil),
                        name: PageConnection.idleName)
                    try handlers.addHandler(PageConnection(page))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        self.port = listener.localAddress?.port ?? port
    }

    /// Closes the port and all connections.
    func close() async {
        try? await listener.close()
        try? await group.shutdownGracefully()
    }
}

/// Counts the open connections. All of them run on one thread.
private final class ConnectionCount: Sendable {
    private let most: Int
    private let count = Mutex(0)

    init(most: Int) { self.most = most }

    struct TooMany: Error {}

    /// - Throws: if there are too many, which closes this one.
    func add(_ channel: any Channel) throws {
        try count.withLock { count in
            guard count < most else { throw TooMany() }
            count += 1
        }
        channel.closeFuture.whenComplete { [self] _ in count.withLock { $0 -= 1 } }
    }
}
