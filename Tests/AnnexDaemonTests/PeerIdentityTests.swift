import AnnexBrokerAPI
import Glibc
import Testing

@testable import AnnexDaemon
@testable import AnnexLinux

@Suite(.timeLimit(.minutes(20))) struct PeerIdentityTests {
    @Test func `a process that has ended is not served under its reused number`() throws {
        var child: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        defer { free(arguments[0]) }
        try #require(posix_spawn(&child, "/bin/true", nil, nil, &arguments, environ) == 0)
        let ended = try ProcessHandle(process: child)
        #expect(waitpid(child, nil, 0) == child)
        // This process is in the daemon's own namespace, so it has this number there.
        let peer = PeerIdentity(user: getuid(), process: ended, number: getpid())
        #expect(peer.rejection()?.code == .overQuota)
    }

    @Test func `a process in the namespace of the daemon is served as its own user`() throws {
        let peer = PeerIdentity(user: getuid(), process: try ProcessHandle(process: getpid()), number: getpid())
        #expect(peer.rejection() == nil)
    }
}
