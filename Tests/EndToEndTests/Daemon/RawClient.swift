import AnnexBrokerAPI
import AnnexChannel
import AnnexLinux
import AnnexModel
import Glibc

/// A client that sends raw packets to a daemon. Each test decides how honest the client is.
final class RawClient: Sendable {
    let socket: ControlSocket

    /// - Parameter hello: whether to send the hello first, as every client does.
    init(_ path: String, hello: Bool = true) async throws {
        socket = try LocalSocket.connect(to: path, patience: .seconds(600))
        guard hello else { return }
        try await send(.hello(versions: ServiceWire.versions))
        guard case .welcome? = try await next() else { throw SystemError("hello", errno: EPROTO) }
    }

    func send(_ packet: HostPacket, _ numbers: [Int32] = []) async throws {
        try await send(try HostPacketMessage(packet).encoded(within: ServiceWire.fromHost), numbers)
    }

    /// Sends a packet. It waits for room without a time limit.
    /// - Parameter numbers: descriptors to send with the packet. The caller still owns them.
    func send(_ bytes: [UInt8], _ numbers: [Int32] = []) async throws {
        while true {
            do throws(SystemError) {
                return try socket.send(bytes, DescriptorList(owning: numbers.map { dup($0) }))
            } catch {
                guard error.errno == EAGAIN else { throw error }
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// The next packet; nil if the daemon has ended the connection.
    func next() async throws -> DaemonPacket? {
        guard let bytes = try await bytes() else { return nil }
        return try DaemonPacketMessage(decoding: bytes, within: ServiceWire.fromDaemon).packet
    }

    /// The bytes of the next packet; nil if the daemon has ended the connection.
    func bytes() async throws -> [UInt8]? {
        while true {
            switch try socket.receive(atMost: ServiceWire.fromDaemon.bytes) {
            // The wait must not block any of the pool's few threads.
            case .nothing: try await Task.sleep(for: .milliseconds(1))
            case .end: return nil
            case .message(let message): return message.bytes
            }
        }
    }

    /// Sends requests and never reads. When the daemon ends the connection, this throws an error.
    func asksForEver() async throws {
        var number: UInt64 = 0
        while true {
            number += 1
            try await send(.request(number, .list(after: "")))
        }
    }

    /// Reads until the connection ends.
    /// - Returns: the daemon's reason; "" if the daemon gave none.
    func lastWords() async -> String {
        var words = ""
        while let packet = try? await next() {
            if case .rejected(let error) = packet { words = error.what }
        }
        return words
    }

    /// The answer to one request.
    func ask(_ number: UInt64, _ request: ServiceRequest, _ numbers: [Int32] = []) async throws -> ServiceAnswer? {
        try await send(.request(number, request), numbers)
        while let packet = try await next() {
            if case .answer(number, let answer) = packet { return answer }
        }
        return nil
    }
}

extension HostPacket {
    /// A notice of a client that has counted no messages.
    static func notice(_ number: UInt64, _ notice: ExtensionNotice) -> HostPacket {
        let none = SessionStatistics(messagesSent: 0, messagesReceived: 0, bytesSent: 0, bytesReceived: 0)
        return .notice(number, notice, counts: none)
    }
}
