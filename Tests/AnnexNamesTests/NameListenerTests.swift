import AnnexLinux
import AnnexPolicy
import AnnexTestSupport
import Glibc
import Testing

@testable import AnnexNames

/// Questions for names over TCP, from a program that may be hostile.
@Suite(.timeLimit(.minutes(20))) struct NameListenerTests {
    private let listener: NameListener
    private let port: UInt16

    private static func socket() throws -> Descriptor {
        let number = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        return Descriptor(owning: try SystemError.check("socket", number))
    }

    init() throws {
        let socket = try Self.socket()
        let place = InternetAddress(host: [127, 0, 0, 1], port: 0)
        let bound = unsafe place.bytes.withUnsafeBytes { bytes in
            unsafe bind(
                socket.number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        #expect(bound == 0 && listen(socket.number, 64) == 0)
        _ = fcntl(socket.number, F_SETFL, O_NONBLOCK)
        var bytes = [UInt8](repeating: 0, count: 16)
        var size = socklen_t(16)
        let named = unsafe bytes.withUnsafeMutableBytes { room in
            unsafe getsockname(socket.number, room.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        #expect(named == 0)
        port = try #require(InternetAddress(bytes)).port
        let rules = HostRules([try HostRule("a.example")])
        let hosts = NamedHosts(rules, resolver: NameResolver { _ in .addresses([[192, 0, 2, 7]]) })
        listener = try NameListener(socket, of: hosts, on: EventLoop.shared())
    }

    private func connect() throws -> Descriptor {
        let made = try Self.socket()
        #expect(InternetAddress(host: [127, 0, 0, 1], port: port).connect(made.number) == 0)
        return made
    }

    private static func question(_ id: UInt8, _ name: String) -> [UInt8] {
        var bytes: [UInt8] = [0, id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        for label in name.split(separator: ".") { bytes += [UInt8(label.utf8.count)] + Array(label.utf8) }
        bytes += [0, 0, 1, 0, 1]
        return [0, UInt8(bytes.count)] + bytes
    }

    private func send(_ bytes: [UInt8], to socket: borrowing Descriptor) {
        // The listener may have ended the connection.
        _ = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(socket.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// The next bytes; fewer at the end of the connection.
    private func read(_ count: Int, from socket: borrowing Descriptor) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count, let more = try? socket.readSome(atMost: count - all.count), !more.isEmpty {
            all += more
        }
        return all
    }

    private func answer(from socket: borrowing Descriptor) -> [UInt8]? {
        let size = read(2, from: socket)
        guard size.count == 2 else { return nil }
        return read(Int(size[0]) << 8 | Int(size[1]), from: socket)
    }

    @Test func `questions in pieces and behind each other are answered`() throws {
        let socket = try connect()
        let both = Self.question(1, "a.example") + Self.question(2, "b.example")
        for byte in both { send([byte], to: socket) }
        let answers = [answer(from: socket), answer(from: socket)].compactMap(\.self).sorted { $0[1] < $1[1] }
        #expect(answers.map { $0[1] } == [1, 2])
        #expect(answers.first?.suffix(4) == [192, 0, 2, 7] && (answers.last?[3] ?? 0) & 15 == 3)
    }

    private static let answerOfAServer: [UInt8] = [0, 12, 0, 1, 0x80, 0] + [UInt8](repeating: 0, count: 8)

    @Test(arguments: [[0xFF, 0xFF], [0, 0], [0, 3, 1, 2, 3], answerOfAServer] as [[UInt8]])
    func `what is no question ends its connection alone`(bytes: [UInt8]) throws {
        let hostile = try connect()
        let other = try connect()
        send(bytes, to: hostile)
        #expect(answer(from: hostile) == nil)
        send(Self.question(3, "a.example"), to: other)
        #expect(answer(from: other)?[1] == 3)
    }

    @Test func `a program that says that it asks no more gets its answers`() throws {
        let socket = try connect()
        send(Self.question(1, "a.example") + Self.question(2, "b.example"), to: socket)
        _ = shutdown(socket.number, Int32(SHUT_WR))
        #expect(Set([answer(from: socket)?[1], answer(from: socket)?[1]]) == [1, 2])
        #expect(read(1, from: socket).isEmpty)
    }

    @Test func `a program that asks without end and reads nothing loses its connection`() throws {
        let socket = try connect()
        let many = Array(repeatElement(Self.question(4, "nothing.example"), count: 256).joined())
        var isOpen = true
        while isOpen {
            let sent = unsafe many.withUnsafeBytes { bytes in
                unsafe Glibc.send(socket.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            isOpen = sent > 0
        }
        let other = try connect()
        send(Self.question(5, "a.example"), to: other)
        #expect(answer(from: other)?[1] == 5)
    }

    @Test func `the oldest connection ends if there are too many`() throws {
        var sockets = DescriptorList()
        for _ in 0..<NameListener.most { sockets.append(try connect()) }
        let last = try connect()
        send(Self.question(6, "a.example"), to: last)
        #expect(answer(from: last)?[1] == 6)
        guard let first = sockets.takeFirst(), let second = sockets.takeFirst() else {
            Issue.record("no sockets")
            return
        }
        #expect(read(1, from: first).isEmpty)
        send(Self.question(7, "a.example"), to: second)
        #expect(answer(from: second)?[1] == 7)
    }
}
