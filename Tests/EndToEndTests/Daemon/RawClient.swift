import AnnexBrokerAPI
import AnnexChannel
import AnnexLinux
import AnnexModel
import Glibc

/// A client that sends its packets to a daemon by hand. Each test decides how honest it is.
final class RawClient: Sendable {
    let socket: ControlSocket

    /// - Parameter hello: whether to begin as every client does.
    init(_ path: String, hello: Bool = true) async throws {
        socket = try LocalSocket.connect(to: path, patience: .seconds(600))
        guard hello else { return }
        try await send(.hello(versions: ServiceWire.versions))
        guard case .welcome? = try await next() else { throw SystemError("hello", errno: EPROTO) }
    }

    func send(_ packet: HostPacket, _ numbers: [Int32] = []) async throws {
        try await send(try HostPacketMessage(packet).encoded(within: ServiceWire.fromHost), numbers)
    }

    /// Waits for room as long as it takes.
    /// - Parameter numbers: descriptors to send along; they stay the caller's.
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
            // Never blocks one of the pool's few threads.
            case .nothing: try await Task.sleep(for: .milliseconds(1))
            case .end: return nil
            case .message(let message): return message.bytes
            }
        }
    }

    /// Sends requests and never reads, until the daemon ends the connection and an error results.
    func asksForEver() async throws {
        var number: UInt64 = 0
        while true {
            number += 1
            try await send(.request(number, .list(after: "")))
        }
    }

    /// Reads until the connection ends.
    /// - Returns: the daemon's reason; "" if it gave none.
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
    /// A notice of a client that has counted nothing.
    static func notice(_ number: UInt64, _ notice: ExtensionNotice) -> HostPacket {
        let none = SessionStatistics(messagesSent: 0, messagesReceived: 0, bytesSent: 0, bytesReceived: 0)
        return .notice(number, notice, counts: none)
    }
}
