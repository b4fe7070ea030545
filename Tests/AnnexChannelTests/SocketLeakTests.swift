import AnnexLinux
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// The threads that carry frames between rings and a socket must end with the channel, however the channel ends.
@Suite(.timeLimit(.minutes(20))) struct SocketLeakTests {
    @Test func `LIFE-05: a peer that fills the ring of a closed host keeps no thread of it`() async {
        await #expect(processExitsWith: .success) {
            try await Holdings.areLeft { loop in
                let closed = try Gate()
                var handlers = ChannelHandlers()
                handlers.onViolation = { _ in closed.open() }
                // The host itself must cause the end.
                handlers.onPeerClosed = { exit(3) }
                let ends = try HostEndpoint.makeOverSocket(handlers: handlers, eventLoop: loop)
                let peer = PacketPeer(try ends.socket.duplicate())
                peer.sendHello()
                // After an answer to no open call, the host reads nothing more.
                peer.send(peer.packet(3, [], call: 77))
                for _ in 0..<3 { peer.send(peer.packet(6, [UInt8](repeating: 0, count: 32768))) }
                try closed.wait()
                ends.host.end(with: "the test is over")
            }
        }
    }

    @Test func `LIFE-05: a peer that leaves while the host ends keeps no thread of it`() async {
        await #expect(processExitsWith: .success) {
            try await Holdings.areLeft { loop in
                let ends = try HostEndpoint.makeOverSocket(eventLoop: loop)
                let host = ends.host
                var socket: Descriptor? = ends.socket
                // While the test holds the host's lock, every thread that still wants to send a frame for the host
                // waits.
                host.sender.half.withLock { _ in
                    _ = socket.take()
                    // The thread that handles the socket needs time to reach the lock. No event reports that moment.
                    usleep(20_000)
                    host.end(with: "the test is over")
                }
            }
        }
    }

    @Test func `LIFE-05: a host that is released without an end keeps no thread`() async {
        await #expect(processExitsWith: .success) {
            try await Holdings.areLeft { loop in
                let ends = try HostEndpoint.makeOverSocket(eventLoop: loop)
                PacketPeer(try ends.socket.duplicate()).sendHello()
            }
        }
    }

    @Test func `FD-03: a channel that cannot be made for want of descriptor numbers leaves nothing open`() async {
        await #expect(processExitsWith: .success) {
            var failures = 0
            try await Holdings.areLeft(after: 3) { loop in
                var limits = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
                var back = limits
                // The lowest free number. All numbers below it are taken.
                let free = open("/dev/null", O_RDONLY)
                close(free)
                // Each round has one more free number. So each step of making a channel fails at the limit once.
                for spare in 0..<24 {
                    limits.rlim_cur = rlim_t(free) + rlim_t(spare)
                    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
                    do {
                        _ = try HostEndpoint.makeOverSocket(eventLoop: loop)
                    } catch {
                        failures += 1
                    }
                }
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &back)
            }
            // The number of failures depends on when the last channel's numbers become free.
            exit(failures > 0 ? 0 : 2)
        }
    }
}
