import AnnexLinux
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// Each call resolves exactly once, with or without the extension's help.
@Suite(.timeLimit(.minutes(20))) struct OutcomeTests {
    /// An extension that is connected but never answers.
    private func silent() throws -> HostileChannel {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        return channel
    }

    @Test func `a deadline ends a call of a thread`() throws {
        let channel = try silent()
        #expect(throws: CallFailure.deadlineExceeded) {
            _ = try channel.host.callAndWait(Request(method: 1), timeout: .milliseconds(20))
        }
    }

    @Test func `a deadline ends a call of a task`() async throws {
        let channel = try silent()
        await #expect(throws: CallFailure.deadlineExceeded) {
            _ = try await channel.host.call(Request(method: 1), timeout: .milliseconds(20))
        }
    }

    @Test func `a deadline ends a call before its caller begins to wait`() throws {
        let channel = try silent()
        let call = try startOnThread(channel.host, timeout: .milliseconds(20))
        #expect(throws: CallFailure.deadlineExceeded) { _ = try call.wait() }
    }

    @Test func `cancelling a task cancels its call`() async throws {
        let channel = try silent()
        let host = channel.host
        let task = Task { try await host.call(Request(method: 1)) }
        task.cancel()
        await #expect(throws: CallFailure.cancelled) { _ = try await task.value }
    }

    @Test func `another thread can cancel the call of a sleeping caller`() throws {
        let channel = try silent()
        let host = channel.host
        for _ in 0..<100 {
            let call = try startOnThread(host)
            let caller = ExtensionThread(raw: {
                #expect(throws: CallFailure.cancelled) { _ = try call.wait() }
            })
            call.cancel()
            caller.join()
        }
    }

    @Test func `LIFE-06: the end of a channel ends every open call once`() async throws {
        for _ in 0..<20 {
            let channel = try silent()
            let host = channel.host
            let expected = CallFailure.ended(reason: "memoryLimit")
            let threads = (0..<4).map { _ in
                ExtensionThread(raw: {
                    #expect(throws: expected) { _ = try host.callAndWait(Request(method: 1)) }
                })
            }
            let tasks = (0..<4).map { _ in Task { try await host.call(Request(method: 1)) } }
            host.end(with: "memoryLimit")
            host.end(with: "a second time")
            for thread in threads { thread.join() }
            for task in tasks { await #expect(throws: expected) { _ = try await task.value } }
            #expect(throws: expected) { _ = try host.callAndWait(Request(method: 1)) }
        }
    }

    @Test func `an answer that was published before the end still counts`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        let call = try await channel.host.start(Request(method: 1))
        // This is like a process that dies right after it published a frame: no doorbell and no wake-up follow.
        let frame = RawPeer.frame(3, [4], method: 1, call: 1)
        channel.peer.show(frame, at: writer.position)
        channel.host.end(with: "exited")
        #expect(try await call.value().payload == [4])
    }

    @Test func `IPC-06: a peer that closes its end is reported and later calls fail`() async throws {
        var handlers = ChannelHandlers()
        let (closed, report) = AsyncStream.makeStream(of: Void.self)
        handlers.onPeerClosed = { report.yield() }
        let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers)
        let host = ends.host
        do {
            let descriptors = ends.descriptors
            _ = consume descriptors
        }
        var iterator = closed.makeAsyncIterator()
        await iterator.next()
        host.end(with: "exited")
        #expect(throws: CallFailure.ended(reason: "exited")) { _ = try host.callAndWait(Request(method: 1)) }
    }

    @Test func `an extension sees that a call is cancelled and that its deadline has passed`() async throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve { request in
                while try !request.isCancelled() { Processor.yield() }
            }
        }
        let call = try await host.start(Request(method: 1))
        call.cancel()
        await #expect(throws: CallFailure.cancelled) { _ = try await call.value() }
        // Both ends watch the same deadline. Whichever end acts first, the caller does not wait longer.
        #expect(throws: CallFailure.self) { _ = try host.callAndWait(Request(method: 2), timeout: .milliseconds(10)) }
        host.finish(thread)
    }

    @Test func `a failure carries its code and text to the caller`() throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve { try $0.fail(code: 42, text: "no picture: é") }
        }
        #expect(throws: CallFailure.failed(code: 42, text: "no picture: é")) {
            _ = try host.callAndWait(Request(method: 1))
        }
        host.finish(thread)
    }

    @Test func `a request that is too large or one too many is refused before it is sent`() throws {
        let channel = try HostileChannel { $0.mostOpenCalls = 2 }
        let host = channel.host
        let most = host.largestPayload
        #expect(throws: CallFailure.payloadTooLarge(bytes: most + 1, most: most)) {
            _ = try host.callAndWait(Request(method: 1, payload: [UInt8](repeating: 0, count: most + 1)))
        }
        let calls = [try startOnThread(host), try startOnThread(host)]
        #expect(throws: CallFailure.tooManyCalls(most: 2)) { _ = try host.callAndWait(Request(method: 1)) }
        for call in calls { call.cancel() }
        _ = try startOnThread(host)
    }

    private func startOnThread(_ host: HostEndpoint, timeout: Duration? = nil) throws -> ChannelCall {
        try host.startAndWait(Request(method: 1), timeout: timeout)
    }
}
