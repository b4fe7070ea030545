import AnnexBrokerAPI
import Glibc
import Testing

@testable import AnnexDaemon
@testable import AnnexLinux

@Suite(.timeLimit(.minutes(20))) struct PeerIdentityTests {
    private func ended() throws -> ProcessHandle {
        var child: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        defer { free(arguments[0]) }
        try #require(posix_spawn(&child, "/bin/true", nil, nil, &arguments, environ) == 0)
        let ended = try ProcessHandle(process: child)
        #expect(waitpid(child, nil, 0) == child)
        return ended
    }

    @Test func `a process that has ended is not served under its reused number`() throws {
        let ended = try ended()
        // This process is in the daemon's own namespace, so it has this number there.
        let peer = PeerIdentity(user: getuid(), process: ended, number: getpid())
        #expect(peer.rejection()?.code == .overQuota)
    }

    @Test func `what is known of a process does not pass to a process with its number`() throws {
        let known = KnownPeers()
        for moment in [UInt64(1), 2, .max] {
            let peer = PeerIdentity(user: getuid(), process: try ProcessHandle(process: getpid()), number: getpid())
            #expect(known.rejection(of: peer, at: moment) == nil)
            // The ended process has the number of this process.
            let other = PeerIdentity(user: getuid(), process: try ended(), number: getpid())
            #expect(known.rejection(of: other, at: moment)?.code == .overQuota)
        }
    }

    @Test func `a process has one identity, and no other process has it`() throws {
        let own = try ProcessHandle(process: getpid()).identity
        #expect(try own == ProcessHandle(process: getpid()).identity)
        #expect(try own == nil || own != ended().identity)
    }

    @Test func `a process in the namespace of the daemon is served as its own user`() throws {
        let peer = PeerIdentity(user: getuid(), process: try ProcessHandle(process: getpid()), number: getpid())
        #expect(peer.rejection() == nil)
    }
}
