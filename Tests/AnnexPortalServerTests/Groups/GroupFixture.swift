import AnnexGroups
import AnnexLinux
import AnnexMessages
import AnnexPortal
import AnnexTestSupport
import Foundation
import Synchronization

@testable import AnnexPortalServer

/// A folder of private directories with one group. The members of the group are in this process.
final class GroupFixture: Sendable {
    static let identifier = "group.com.example.todo"

    let folder: TemporaryFolder
    let key = GroupKey(team: String(repeating: "ab", count: 32), identifier: GroupFixture.identifier)

    /// The portals of this folder. Each portal has a thread, which ends with the portal.
    private let portals = Mutex<[PortalClient]>([])

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o700)
    }

    deinit {
        for portal in portals.withLock({ $0 }) { portal.close() }
    }

    func openGroup() throws -> OpenGroup {
        let place = try Descriptor.directory(folder.url.path)
        return try OpenGroup(GroupFolder(key, in: place, at: folder.url.path, owner: geteuid()))
    }

    /// The portal of a member that serves itself, as a containing app does.
    func portal(of member: String = "com.example.todo") throws -> PortalClient {
        let portal = try LocalPortal.open(member, groups: [key], in: folder.url.path)
        portals.withLock { $0.append(portal) }
        return portal
    }

    /// The group, as a separate member sees it.
    func group(_ member: String = "com.example.todo") throws -> AppGroup {
        AppGroup(try JoinedGroup.join(Self.identifier, through: portal(of: member)))
    }

    /// The path of the members' files.
    var container: String { "\(folder.url.path)/@groups/\(key.team)/\(key.identifier)/container" }

    func defaults(_ portal: PortalClient? = nil) throws -> SharedDefaults {
        let portal = if let portal { portal } else { try self.portal() }
        return SharedDefaults(AppGroup(try JoinedGroup.join(Self.identifier, through: portal)))
    }
}

/// The raw end of a portal. It sends any bytes that a test wants to send.
final class RawMember: Sendable {
    private let socket: ControlSocket
    private let state: SharedState

    private final class SharedState: Sendable {
        let value = Mutex((isAllowed: true, violations: [String]()))
    }

    /// - Parameter server: the server of the portal. If it is nil, the portal has a server with the standard services.
    init(of group: OpenGroup, at server: PortalServer? = nil) throws {
        let state = SharedState()
        let member = try PortalMember(
            "com.example.todo.extension", groups: [group], container: { "/groups/\($0.identifier)" },
            isAllowed: { _ in state.value.withLock { $0.isAllowed } }, wake: {})
        let server = try server ?? .standard(on: EventLoop.shared())
        socket = try server.connect(member) { rule in state.value.withLock { $0.violations.append(rule) } }.takeSocket()
        self.state = state
    }

    /// The rules whose violation the broker has noticed.
    var violations: [String] { state.value.withLock { $0.violations } }

    func revoke() { state.value.withLock { $0.isAllowed = false } }

    /// Sends bytes. It waits for room in the same way as `answer` waits for an answer.
    func send(_ bytes: [UInt8]) async throws {
        while true {
            do throws(SystemError) {
                return try socket.send(bytes)
            } catch {
                guard error.isLackOfRoom else { throw error }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    func send(
        _ method: PortalMethod, call: UInt64 = 1, group: String = GroupFixture.identifier, body: [UInt8] = []
    ) async throws {
        try await send(PortalRequest(call: call, method: method, group: group, body: body).encoded())
    }

    /// Closes the portal from this end.
    func leave() { socket.shutDown() }

    /// The next answer; nil if the broker has ended the portal. No thread of the pool blocks for the answer, because the pool has few
    /// threads.
    func answer() async throws -> PortalDelivery? {
        while true {
            switch try socket.receive(atMost: PortalDelivery.mostBytes) {
            case .message(let message): return try PortalDelivery(decoding: message.bytes)
            case .nothing: try await Task.sleep(for: .milliseconds(1))
            case .end: return nil
            }
        }
    }
}
