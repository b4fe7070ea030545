import AnnexLinux
import AnnexTestSupport
import Dispatch
import Synchronization
import Testing

@testable import AnnexChannel

/// If the other side does nothing, every wait in a stream must still end.
@Suite(.timeLimit(.minutes(20))) struct StreamLimitTests {
    /// Runs a body with a stream to an extension that never gives credit. `heard` collects the waits that are reported
    /// to the owner.
    private func stuck(
        callLimit: Duration?, _ heard: Heard = Heard(), _ body: (ChannelStream) async throws -> Void
    ) async throws -> [StreamWaiting] {
        var configuration = ChannelConfiguration.patient
        configuration.callLimit = callLimit
        var handlers = ChannelHandlers()
        handlers.onStreamWait = { waiting in heard.list.withLock { $0.append(waiting) } }
        let ends = try HostEndpoint.make(configuration: configuration, handlers: handlers)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            // The extension takes no stream from the ring before the end.
            _ = try endpoint.nextPost()
        }
        _ = try await host.untilHello()
        try await body(host.openStream(1))
        host.finish(thread)
        await withCheckedContinuation { turn in host.loop.execute { turn.resume() } }
        return heard.list.withLock { $0 }
    }

    @Test func `a task waits in a stream at most as long as a call may last`() async throws {
        let heard = try await stuck(callLimit: .milliseconds(50)) { stream in
            await #expect(throws: StreamFailure.deadlineExceeded) { try await stream.send([1]) }
            await #expect(throws: StreamFailure.deadlineExceeded) { _ = try await stream.receive() }
        }
        #expect(heard == [.overstayed, .overstayed])
    }

    @Test func `a thread waits in a stream at most as long as a call may last`() async throws {
        let heard = try await stuck(callLimit: .milliseconds(50)) { stream in
            let caller = ExtensionThread(raw: {
                #expect(throws: StreamFailure.deadlineExceeded) { try stream.sendAndWait([1]) }
                #expect(throws: StreamFailure.deadlineExceeded) { _ = try stream.receiveAndWait() }
            })
            caller.join()
        }
        #expect(heard == [.overstayed, .overstayed])
    }

    /// Runs a body while the loop's thread does nothing.
    private func whileStanding<Value>(_ loop: EventLoop, _ body: () -> Value) -> Value {
        let (stands, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        loop.perform {
            stands.signal()
            goesOn.wait()
        }
        stands.wait()
        defer { goesOn.signal() }
        return body()
    }

    @Test(arguments: [nil, .milliseconds(1)] as [Duration?])
    func `a message in time counts though the loop had no time to read it`(timeout: Duration?) async throws {
        let heard = Heard()
        let channel = try HostileChannel(
            { $0.callLimit = .milliseconds(1) },
            handlers: { $0.onStreamWait = { waiting in heard.list.withLock { $0.append(waiting) } } })
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let stream = try channel.host.openStream(1)
        let message = whileStanding(channel.loop) {
            writer.send(RawPeer.frame(10, [7], call: stream.id))
            return Result { try stream.receiveAndWait(timeout: timeout) }
        }
        #expect(try message.get() == [7])
        await withCheckedContinuation { turn in channel.loop.execute { turn.resume() } }
        #expect(heard.list.withLock { $0 }.isEmpty)
    }

    @Test func `a timeout of the caller is not reported to the owner`() async throws {
        let heard = try await stuck(callLimit: .milliseconds(1)) { stream in
            await #expect(throws: StreamFailure.deadlineExceeded) {
                try await stream.send([1], timeout: .milliseconds(50))
            }
            await #expect(throws: StreamFailure.deadlineExceeded) {
                _ = try await stream.receive(timeout: .milliseconds(50))
            }
        }
        #expect(heard.isEmpty)
    }

    @Test func `the owner learns of a long wait in a stream and of its end`() async throws {
        let heard = Heard()
        let told = try await stuck(callLimit: .patience, heard) { stream in
            let reader = Task { try await stream.receive() }
            await eventually { !heard.list.withLock { $0.isEmpty } }
            stream.cancel()
            await #expect(throws: StreamFailure.cancelled) { _ = try await reader.value }
        }
        #expect(told == [.began(1), .ended(1)])
    }
}

private final class Heard: Sendable {
    let list = Mutex<[StreamWaiting]>([])
}

extension ExtensionEndpoint {
    /// Waits for the event that ends the test, and reads nothing else.
    fileprivate borrowing func nextPost() throws -> UInt16? {
        var room = [UInt8](repeating: 0, count: 64)
        var span = room.mutableSpan
        var bytes = span.mutableBytes
        return try nextPost(into: &bytes)?.method
    }
}
