import AnnexChannel
import AnnexLinux
import AnnexService
import Glibc

/// A client that speaks to a daemon by hand, as honestly or not as a test wants.
final class RawClient: Sendable {
    let socket: ControlSocket

    /// - Parameter hello: whether to begin as every client does.
    init(_ path: String, hello: Bool = true) throws {
        socket = try LocalSocket.connect(to: path, patience: .seconds(600))
        guard hello else { return }
        try send(.hello(version: ServiceWire.version))
        guard case .welcome? = try next() else { throw SystemError("hello", errno: EPROTO) }
    }

    func send(_ packet: HostPacket, _ numbers: [Int32] = []) throws {
        try send(try HostPacketMessage(packet).encoded(within: ServiceWire.fromHost), numbers)
    }

    /// - Parameter numbers: descriptors to send along; they stay the caller's.
    func send(_ bytes: [UInt8], _ numbers: [Int32] = []) throws {
        try socket.send(bytes, DescriptorList(owning: numbers.map { dup($0) }), waiting: true)
    }

    /// The next packet; nil where the daemon has ended the connection.
    func next() throws -> DaemonPacket? {
        while true {
            switch try socket.receive(atMost: ServiceWire.fromDaemon.bytes) {
            case .nothing: socket.descriptor.waitUntilReadable(until: MonotonicClock.deadline(after: .seconds(600)))
            case .end: return nil
            case .message(let message):
                return try DaemonPacketMessage(decoding: message.bytes, within: ServiceWire.fromDaemon).packet
            }
        }
    }

    /// Reads until the connection ends.
    /// - Returns: what the daemon said about it; "" where it said nothing.
    func lastWords() -> String {
        var words = ""
        while let packet = try? next() {
            if case .refused(let error) = packet { words = error.what }
        }
        return words
    }

    /// The answer to one request.
    func ask(_ number: UInt64, _ request: ServiceRequest, _ numbers: [Int32] = []) throws -> ServiceAnswer? {
        try send(.request(number, request), numbers)
        while let packet = try next() {
            if case .answer(number, let answer) = packet { return answer }
        }
        return nil
    }
}
