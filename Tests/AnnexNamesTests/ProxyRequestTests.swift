import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexNames

/// Requests to a proxy, written by a program that would like its proxy to understand another request than the broker
/// does.
@Suite struct ProxyRequestTests {
    private static func read(_ text: String) throws(ProxyRequest.Refusal) -> ProxyRequest? {
        try ProxyRequest.read(Array(text.utf8))
    }

    @Test func `a tunnel names its machine, and what follows goes through it`() throws {
        let text =
            "CONNECT Code.Example.org:443 HTTP/1.1\r\nHost: code.example.org:443\r\nProxy-Authorization: Basic eA==\r\n"
            + "Proxy-Connection: Keep-Alive\r\n\r\nhello"
        let request = try #require(try Self.read(text))
        let name = try HostName("code.example.org")
        #expect(request.host == .name(name) && request.port == 443 && request.isTunnel)
        #expect(request.rest == Array("hello".utf8) && request.bodyLeft == 0)
        let written = String(decoding: request.message, as: UTF8.self)
        #expect(written.hasPrefix("CONNECT Code.Example.org:443 HTTP/1.1\r\n") && written.hasSuffix("eA==\r\n\r\n"))
        #expect(!written.contains("Keep-Alive") && written.contains("\r\nHost: code.example.org:443\r\n"))
        // A proxy that goes by this field reaches the same machine and port.
        let other = try #require(try Self.read("GET http://a.example:81/ HTTP/1.1\r\nHost: b:22\r\nhost: c\r\n\r\n"))
        let fields = String(decoding: other.message, as: UTF8.self).lowercased()
        #expect(fields.components(separatedBy: "host:").count == 2 && fields.contains("\r\nhost: a.example:81\r\n"))
        let six = try #require(try Self.read("CONNECT [2001:db8::1]:443 HTTP/1.0\r\n\r\n"))
        #expect(six.host == .address([0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]) && six.port == 443)
    }

    @Test func `a plain request is the only one of its connection, and its body has its length`() throws {
        let head = "POST http://code.example.org/up?x HTTP/1.1\r\nHost: code.example.org\r\nContent-Length: 6\r\n"
        let request = try #require(try Self.read(head + "Connection: keep-alive, x\r\n\r\nabcGET http://evil.example/"))
        #expect(request.port == 80 && !request.isTunnel && request.rest.isEmpty && request.bodyLeft == 0)
        let written = String(decoding: request.message, as: UTF8.self)
        #expect(written.hasSuffix("Connection: close\r\nProxy-Connection: close\r\n\r\nabcGET"))
        #expect(!written.contains("keep-alive") && !written.contains("evil"))
        let part = try #require(try Self.read(head + "\r\nabc"))
        #expect(part.bodyLeft == 3)
    }

    @Test(
        arguments: [
            ("\u{16}\u{3}\u{1}", .notHTTP), ("GET\r\n\r\n", .notHTTP), ("GET / HTTP/2.0\r\n\r\n", .notHTTP),
            ("GET / HTTP/1.1\r\n\r\n", .unreadable), ("GET ftp://a.example/ HTTP/1.1\r\n\r\n", .unreadable),
            ("GET http://u:p@a.example/ HTTP/1.1\r\n\r\n", .unreadable),
            ("CONNECT a.example HTTP/1.1\r\n\r\n", .unreadable),
            ("CONNECT *.a.example:443 HTTP/1.1\r\n\r\n", .unreadable),
            ("CONNECT 127.0.0.1:22 HTTP/1.1\r\n\r\n", .unreadable),
            ("GET http://a.example/ HTTP/1.1\r\n Host: a.example\r\n\r\n", .unreadable),
            ("GET http://a.example/ HTTP/1.1\r\nHost : a.example\r\n\r\n", .unreadable),
            ("GET http://a.example/ HTTP/1.1\nX: y\r\n\r\n", .unreadable),
            ("GET http://a.example/ HTTP/1.1\r\nX: \ry\r\n\r\n", .unreadable),
            ("GET http://a.example/ HTTP/1.1\r\nX: \0\r\n\r\n", .unreadable),
            ("CONNECT a.example:443 HTTP/1.1\r\nContent-Length: 5\r\n\r\n", .unreadable),
            ("POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", .bodyWithoutLength),
            ("POST http://a.example/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", .bodyWithoutLength),
            ("POST http://a.example/ HTTP/1.1\r\nContent-Length: +1\r\n\r\n", .bodyWithoutLength),
            ("GET http://a.example/ HTTP/1.1\r\nX: " + String(repeating: "x", count: 1 << 14), .tooLong),
        ] as [(String, ProxyRequest.Refusal)])
    func `a request that two readers could understand differently is refused`(
        text: String, refusal: ProxyRequest.Refusal
    ) {
        #expect(throws: refusal) { try Self.read(text) }
    }

    @Test func `no bytes trap the reader, and a request in pieces is one`() throws {
        var random = SeededRandom(seed: 7)
        let good = Array("GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8)
        for count in 0..<good.count { #expect(try ProxyRequest.read(Array(good[..<count])) == nil) }
        for _ in 0..<5_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let request = try? ProxyRequest.read(bytes) else { continue }
            #expect(request.message.count < 2 * good.count + 64)
        }
    }

    @Test func `an answer makes a tunnel or does not`() throws {
        let (isTunnel, end) = try #require(try ProxyAnswer.read(Array("HTTP/1.1 200 OK\r\nX: y\r\n\r\nmore".utf8)))
        #expect(isTunnel && end == 25)
        #expect(try ProxyAnswer.read(Array("HTTP/1.1 407 No\r\n\r\n".utf8))?.isTunnel == false)
        #expect(try ProxyAnswer.read(Array("HTTP/1.1 200 OK\r\n".utf8)) == nil)
        #expect(throws: ProxyRequest.Refusal.unreadable) { try ProxyAnswer.read(Array("200 OK\r\n\r\n".utf8)) }
    }
}

/// The proxies that variables name.
@Suite struct HostProxiesTests {
    @Test(
        arguments: [
            ("http://proxy.example:3128", [3128]), ("http://user:p%40ss@Proxy.Example.:3128/", [3128]),
            ("proxy.example:8080", [8080]), ("http://proxy.example", [80, 1080]), ("HTTP://proxy.example:1", [1]),
        ])
    func `a variable names a proxy`(value: String, ports: [UInt16]) throws {
        let (proxies, name) = (HostProxies([value, value]), try HostName("proxy.example"))
        #expect(proxies.list.map(\.port) == ports && proxies.include(name))
    }

    @Test(arguments: [
        "", "socks5://p.example:1080", "https://p.example:443", "http://", "http://a b:80", "http://p.example:x", ":80",
    ])
    func `another value names none`(value: String) { #expect(HostProxies([value]).list.isEmpty) }

    @Test func `a proxy on this machine is found by its address or name`() {
        let near = InternetAddress(host: [127, 0, 0, 1], port: 3128)
        for proxy in ["http://localhost:3128", "http://127.0.0.1:3128"] {
            #expect(HostProxies([proxy]).find(near, named: []) == .address([127, 0, 0, 1]))
        }
        #expect(HostProxies(["http://127.0.0.1:3129"]).find(near, named: []) == nil)
    }
}
