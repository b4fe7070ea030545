import AnnexTestSupport
import Glibc
import Testing

@testable import AnnexLinux

/// The user at the other end of a connection within this machine.
@Suite(.timeLimit(.minutes(20))) struct LoopbackPeerTests {
    @Test func `the kernel knows the user of a connection, and of none that was closed`() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { for end in [listener, client] where end >= 0 { close(end) } }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        func port(of end: Int32) -> UInt16 {
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(end, $0, &size) }
            }
            return UInt16(bigEndian: address.sin_port)
        }
        func call(_ body: (UnsafePointer<sockaddr>) -> Int32) -> Int32 {
            withUnsafePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
        }
        try #require(call { bind(listener, $0, size) } == 0 && listen(listener, 1) == 0)
        let target = port(of: listener)
        try #require(call { connect(client, $0, size) } == 0)
        let source = port(of: client)
        #expect(try LoopbackPeer.user(from: source, to: target) == geteuid())
        #expect(try LoopbackPeer.user(from: target, to: source) == nil, "no process has taken this end yet")
        for (one, other) in [(source, target &+ 1), (source &+ 1, target), (0, target), (0, 0)] {
            #expect(try LoopbackPeer.user(from: one, to: other) == nil)
        }
        // The closed end stays in the tables of the kernel. For this end, the kernel states user 0.
        close(client)
        client = -1
        #expect(try LoopbackPeer.user(from: source, to: target) == nil)
    }
}
