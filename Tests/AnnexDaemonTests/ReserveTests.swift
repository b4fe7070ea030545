import AnnexBrokerAPI
import AnnexChannel
import AnnexTestSupport
import Foundation
import Logging
import Testing

@testable import AnnexDaemon
@testable import AnnexLinux

/// The daemon keeps its last descriptors for root, however many descriptors other users have open.
@Suite(.timeLimit(.minutes(20))) struct ReserveTests {
    /// With this budget, every descriptor is one of the last.
    private let none = DescriptorBudget(limit: 0, isShared: true)

    @Test func `root gets descriptors that another user is refused`() {
        #expect(none.rejection(of: 3, from: 0) == nil)
        #expect(none.rejection(of: 3, from: 1000)?.what.contains("keeps them for root") == true)
        #expect(DescriptorBudget(limit: 1024, isShared: true).rejection(of: 3, from: 1000) == nil)
    }

    @Test(arguments: [
        ServiceRequest.launch(extension: "com.example.nobody", as: nil, for: .request, timeLimit: nil, counters: 0),
        .install(name: "App.app"),
    ])
    func `descriptors from the host of a user are refused if only those for root are left`(
        request: ServiceRequest
    ) async throws {
        let folder = try TemporaryFolder()
        let options = DaemonOptions(state: folder.url.path, isSystem: true)
        let quiet = Logger(label: "annexd") { _ in SwiftLogNoOpLogHandler() }
        let user = DaemonUser(1000, options: options, space: StoreSpace(options), descriptors: none, logger: quiet)
        var pair = try DescriptorPair.sockets().list()
        guard let one = pair.takeFirst(), let other = pair.takeFirst() else { throw CancellationError() }
        let connection = Connection(
            ControlSocket(owning: one), process: try ProcessHandle(process: getpid()), numbered: getpid(), user: user,
            loop: try EventLoop.shared(), logger: quiet
        ) {}
        try connection.begin()
        let client = ControlSocket(owning: other)
        try client.send(HostPacketMessage(.hello(versions: ServiceWire.versions)).encoded(within: ServiceWire.fromHost))
        guard case .welcome = try await next(client) else { throw CancellationError() }
        var list = DescriptorList()
        for _ in 0..<request.descriptors { list.append(try Descriptor.open("/dev/null", O_RDONLY)) }
        try client.send(HostPacketMessage(.request(1, request)).encoded(within: ServiceWire.fromHost), list)
        guard case .answer(1, .failed(let error)) = try await next(client) else { throw CancellationError() }
        #expect(error.code == .overQuota && error.what.contains("keeps them for root"), "\(error)")
        connection.close("the test is over")
    }

    private func next(_ client: borrowing ControlSocket) async throws -> DaemonPacket {
        while true {
            switch try client.receive(atMost: ServiceWire.fromDaemon.bytes) {
            case .nothing: await Task.yield()
            case .end: throw CancellationError()
            case .message(let message):
                return try DaemonPacketMessage(decoding: message.bytes, within: ServiceWire.fromDaemon).packet
            }
        }
    }
}
