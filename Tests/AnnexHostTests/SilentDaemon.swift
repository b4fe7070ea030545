import AnnexBrokerAPI
import AnnexChannel
import AnnexLinux
import AnnexTestSupport
import Foundation
import Synchronization

/// A daemon that welcomes its clients but answers nothing, or that accepts no client.
final class SilentDaemon: Sendable {
    private let folder: TemporaryFolder
    private let window: UInt64
    private let state = Mutex(State())

    private struct State {
        var listener: Listener?
        var clients: [Client] = []
    }

    /// The listening socket. Clients that connect wait there until this object is released.
    private final class Listener: Sendable {
        let socket: Descriptor

        init(at path: String) throws { socket = try LocalSocket.listen(at: path, mode: 0o600) }
    }

    /// One connection, until it is released.
    private final class Client: Sendable {
        let socket: ControlSocket

        init(_ socket: consuming ControlSocket) { self.socket = socket }
    }

    /// - Parameter window: the window that the daemon names in its welcome.
    init(window: UInt64 = 0) throws {
        self.window = window
        folder = try TemporaryFolder()
        let listener = try Listener(at: folder.url.path + "/s")
        state.withLock { $0.listener = listener }
    }

    var path: String { folder.url.path + "/s" }

    /// Accepts the next client, and welcomes it.
    func welcome() async throws {
        while try !takeNext() { try await Task.sleep(for: .milliseconds(1)) }
    }

    private func takeNext() throws -> Bool {
        try state.withLock { state in
            guard let listener = state.listener, let socket = try LocalSocket.accept(from: listener.socket) else {
                return false
            }
            try socket.send(DaemonPacket.welcome(version: ServiceWire.versions.upperBound, window: window).encoded())
            state.clients.append(Client(socket))
            return true
        }
    }

    /// The next packet of the daemon's first client after the hello, without descriptors.
    func heard() async throws -> HostPacket {
        while true {
            if let packet = try read() {
                if case .hello = packet { continue }
                return packet
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Whether the daemon's first client has sent a request that was not read yet.
    func hasHeardMore() throws -> Bool {
        while let packet = try read() {
            if case .request = packet { return true }
        }
        return false
    }

    private func read() throws -> HostPacket? {
        guard let client = state.withLock({ $0.clients.first }) else { return nil }
        guard case .message(let message) = try client.socket.receive(atMost: ServiceWire.fromHost.bytes) else {
            return nil
        }
        return try HostPacketMessage(decoding: message.bytes, within: ServiceWire.fromHost).packet
    }

    /// Sends a packet to the daemon's first client.
    func say(_ packet: DaemonPacket) throws {
        try state.withLock { $0.clients.first }?.socket.send(packet.encoded())
    }

    /// Releases all clients and stops listening.
    func leave() {
        unlink(path)
        state.withLock { state in
            state.listener = nil
            state.clients = []
        }
    }
}
