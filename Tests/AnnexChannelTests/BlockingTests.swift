import AnnexLinux
import AnnexTestSupport
import Synchronization
import Testing

@testable import AnnexChannel

/// A call that blocks the event loop's thread would wait for ever, because only that thread can end the wait.
@Suite(.timeLimit(.minutes(20))) struct BlockingTests {
    /// Runs a body on the event loop's thread of a channel whose extension never answers. Returns the body's error.
    private func onLoop(_ body: @escaping @Sendable (HostEndpoint) throws -> Void) async throws -> (any Error)? {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let host = channel.host
        return await withCheckedContinuation { continuation in
            channel.loop.execute {
                do {
                    try body(host)
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
    }

    @Test func `a blocking call on the thread of the event loop is refused`() async throws {
        #expect(try await onLoop { _ = try $0.callAndWait(Request(method: 1)) } as? CallFailure == .onEventLoop)
    }

    @Test func `a blocking raw call on the thread of the event loop is refused`() async throws {
        #expect(try await onLoop { _ = try ask($0, 1, [1]) } as? CallFailure == .onEventLoop)
    }

    @Test func `a ping and a wait on the thread of the event loop are refused`() async throws {
        #expect(try await onLoop { try $0.pingAndWait(timeout: .patience) } as? CallFailure == .onEventLoop)
        let failure = try await onLoop { host in
            let call: ChannelCall = try host.startAndWait(Request(method: 1))
            _ = try call.wait()
        }
        #expect(failure as? CallFailure == .onEventLoop)
    }

    @Test func `a wait for room on the thread of the event loop is refused`() async throws {
        let failure = try await onLoop { host in
            while true { try host.sendAndWait(ChannelEvent(method: 1, payload: [UInt8](repeating: 0, count: 1000))) }
        }
        #expect(failure as? CallFailure == .onEventLoop)
    }

    @Test func `a blocking wait in a stream is refused on the thread of the event loop`() async throws {
        let failure = try await onLoop { host in _ = try host.openStream(1).receiveAndWait() }
        #expect(failure as? StreamFailure == .channel(.onEventLoop))
    }
}
