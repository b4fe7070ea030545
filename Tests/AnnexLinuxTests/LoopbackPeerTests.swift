import AnnexTestSupport
import Glibc
import Testing

@testable import AnnexLinux

/// Which user is at the other end of a connection within this machine.
@Suite(.timeLimit(.minutes(20))) struct LoopbackPeerTests {
    private let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
           1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 2 1 0 20 4 30 10 -1
           2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 3 1 0 20 4 30 10 -1
           3: 0200007F:C351 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 3 1 0 20 4 30 10 -1
           4: broken
        """

    @Test func `the user is the one of the other end`() {
        #expect(LoopbackPeer.user(from: 50_000, to: 8080, in: table) == 1000)
        #expect(LoopbackPeer.user(from: 8080, to: 50_000, in: table) == 0)
    }

    @Test(arguments: [(50_001, 8080), (50_000, 8081), (0, 8080), (0, 0)] as [(UInt16, UInt16)])
    func `a connection that is not listed has no user`(port: UInt16, target: UInt16) {
        #expect(LoopbackPeer.user(from: port, to: target, in: table) == nil)
    }

    @Test func `the kernel lists a real connection with its user`() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { for end in [listener, client] { close(end) } }
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
        #expect(try LoopbackPeer.user(from: port(of: client), to: target) == geteuid())
    }
}
