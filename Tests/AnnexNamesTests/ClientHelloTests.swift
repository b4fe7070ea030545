import AnnexPolicy
import AnnexTestSupport
import Testing

@testable import AnnexNames

/// The first message of a TLS client, written by a program that would like to be taken for another one.
@Suite struct ClientHelloTests {
    private static func sized(_ bytes: [UInt8], _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(bytes.count >> (8 * $0) & 0xFF) } + bytes
    }

    private static func extensions(naming names: [String], more: [UInt8] = []) -> [UInt8] {
        names.flatMap { name in [0, 0] + sized(sized([0] + sized(Array(name.utf8), 2), 2), 2) } + more
    }

    private static func message(_ extensions: [UInt8]) -> [UInt8] {
        let body =
            [3, 3] + [UInt8](repeating: 7, count: 32) + sized([], 1) + sized([0x13, 1, 0x13, 2], 2) + sized([0], 1)
            + sized(extensions, 2)
        return [1] + sized(body, 3)
    }

    private static func records(_ message: [UInt8], of size: Int = 16_384) -> [UInt8] {
        stride(from: 0, to: message.count, by: size).flatMap { place in
            [22, 3, 1] + sized(Array(message[place..<min(place + size, message.count)]), 2)
        }
    }

    private func read(_ bytes: [UInt8]) throws(ClientHello.Refusal) -> HostName? {
        var hello = ClientHello()
        return try hello.read(bytes)
    }

    private func refusal(of bytes: [UInt8]) -> ClientHello.Refusal? {
        do throws(ClientHello.Refusal) {
            _ = try read(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the name that the client calls is read from any pieces`() throws {
        let bytes = Self.records(Self.message(Self.extensions(naming: ["Code.Example.org"])))
        #expect(try read(bytes)?.text == "code.example.org")
        for place in 1..<bytes.count {
            var hello = ClientHello()
            #expect(try hello.read(bytes[..<place]) == nil, "\(place)")
            #expect(try hello.read(bytes[place...])?.text == "code.example.org", "\(place)")
        }
        var hello = ClientHello()
        for byte in bytes.dropLast() { #expect(try hello.read([byte]) == nil) }
        #expect(try hello.read(bytes.suffix(1))?.text == "code.example.org")
    }

    @Test(arguments: [1, 2, 7, 100])
    func `a message that is divided among records is one message`(size: Int) throws {
        let message = Self.message(Self.extensions(naming: ["code.example.org"]))
        #expect(try read(Self.records(message, of: size))?.text == "code.example.org")
    }

    @Test func `a message of 20 KB is read, and a longer one than any is refused`() throws {
        let padding: [UInt8] = [0, 21] + Self.sized([UInt8](repeating: 0, count: 20_000), 2)
        let long = Self.message(Self.extensions(naming: ["code.example.org"], more: padding))
        #expect(try read(Self.records(long))?.text == "code.example.org")
        let endless: [UInt8] = [22, 3, 1, 0x40, 0, 1, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 70_000)
        #expect(refusal(of: endless) == .tooLong)
    }

    @Test func `a client that names nobody, two machines or an encrypted one is refused`() {
        #expect(refusal(of: Self.records(Self.message([]))) == .withoutName)
        #expect(
            refusal(of: Self.records(Self.message(Self.extensions(naming: ["a.example", "b.example"])))) == .unreadable)
        let two = Self.sized(
            Self.sized([0] + Self.sized(Array("a.example".utf8), 2) + [0] + Self.sized(Array("b.example".utf8), 2), 2),
            2)
        #expect(refusal(of: Self.records(Self.message([0, 0] + two))) == .unreadable)
        let encrypted = Self.extensions(naming: ["a.example"], more: [0xFE, 0x0D] + Self.sized([0, 0, 1], 2))
        #expect(refusal(of: Self.records(Self.message(encrypted))) == .encrypted)
        let first = [0xFE, 0x0D] + Self.sized([0], 2) + Self.extensions(naming: ["a.example"])
        #expect(refusal(of: Self.records(Self.message(first))) == .encrypted)
        #expect(refusal(of: Self.records(Self.message(Self.extensions(naming: ["a b"])))) == .unreadable)
    }

    @Test func `a beginning that is not one of TLS is refused by its first byte`() {
        for text in ["GET / HTTP/1.1\r\n", "SSH-2.0-x", "\u{0}\u{0}"] {
            #expect(refusal(of: Array(text.utf8)) == .notTLS)
        }
        #expect(refusal(of: [22, 2, 0]) == .notTLS)
        #expect(refusal(of: [22, 3, 1, 0xFF, 0xFF]) == .notTLS)
        #expect(refusal(of: [22, 3, 1, 0, 0]) == .notTLS)
        // An alert, or the hello of a server.
        #expect(refusal(of: [21, 3, 1]) == .notTLS)
        #expect(refusal(of: [22, 3, 1, 0, 4, 2, 0, 0, 0]) == .notTLS)
    }

    @Test func `no changed byte traps the reader`() {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        let good = Self.records(Self.message(Self.extensions(naming: ["code.example.org"])), of: 30)
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            _ = refusal(of: bytes)
        }
    }

    @Test func `bytes behind the message are not part of it, and a second message in its record is refused`() throws {
        let message = Self.message(Self.extensions(naming: ["code.example.org"]))
        let other = Self.message(Self.extensions(naming: ["evil.example"]))
        var hello = ClientHello()
        #expect(try hello.read(Self.records(message) + Self.records(other))?.text == "code.example.org")
        #expect(hello.rest == Self.records(other))
        #expect(refusal(of: Self.records(message + other)) == .unreadable)
    }

    @Test func `a second message may follow a change of ciphers and early data`() throws {
        let message = Self.records(Self.message(Self.extensions(naming: ["evil.example"])))
        var second = ClientHello(isSecond: true)
        let before: [UInt8] = [20, 3, 3, 0, 1, 1] + [23, 3, 3] + Self.sized([UInt8](repeating: 5, count: 16_500), 2)
        for byte in before { #expect(try second.read([byte]) == nil) }
        #expect(try second.read(message)?.text == "evil.example")
        #expect(refusal(of: before) == .notTLS)
        var alert = ClientHello(isSecond: true)
        #expect(throws: ClientHello.Refusal.notTLS) { try alert.read([21, 3, 3, 0, 2, 2, 40]) }
    }

    @Test func `a server that asks for another message is recognized`() throws {
        let random: [UInt8] = [
            0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91, 0xC2, 0xA2,
            0x11,
            0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
        ]
        func answer(_ random: [UInt8]) -> [UInt8] {
            [22, 3, 3] + Self.sized([2] + Self.sized([3, 3] + random + [0, 0x13, 1, 0], 3), 2)
        }
        let (again, usual) = (answer(random), answer([UInt8](repeating: 7, count: 32)))
        #expect(ServerHello.asksAgain(again) == true && ServerHello.asksAgain(usual) == false)
        for count in 0..<43 { #expect(ServerHello.asksAgain(Array(again.prefix(count))) == nil) }
        #expect(ServerHello.asksAgain([21, 3, 3]) == false && ServerHello.asksAgain([22, 3, 3, 0, 9, 2]) == true)
    }
}
