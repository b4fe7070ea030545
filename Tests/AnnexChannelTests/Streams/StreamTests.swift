import AnnexLinux
import AnnexTestSupport
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// Streams between a real host's end and a real extension's end on a thread.
@Suite(.timeLimit(.minutes(20))) struct StreamTests {
    /// The methods of the streams in these tests.
    private enum Method {
        /// Sends every message back twice as long, and finishes when the opener finishes.
        static let echo: UInt16 = 20
        /// Sends messages without a request. The first byte of the arguments states how many hundreds of messages.
        static let produce: UInt16 = 21
        /// Reads nothing until an event requests it.
        static let hoard: UInt16 = 22
        /// The extension releases this stream at once.
        static let refuse: UInt16 = 23
    }

    private func channel(
        _ change: (inout ChannelConfiguration, inout ChannelHandlers) -> Void = { _, _ in },
        _ body: @escaping @Sendable (borrowing ExtensionEndpoint) throws -> Void
    ) throws -> (HostEndpoint, ExtensionThread) {
        var configuration = ChannelConfiguration.patient
        var handlers = ChannelHandlers()
        change(&configuration, &handlers)
        let ends = try HostEndpoint.make(configuration: configuration, handlers: handlers)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try body(endpoint)
        }
        return (host, thread)
    }

    private func serve(_ endpoint: borrowing ExtensionEndpoint) throws {
        endpoint.handleStreams { stream in
            do { try Self.work(stream) } catch { print("stream ended: \(error)") }
        }
        try endpoint.serve { request in try request.reply() }
    }

    private static func work(_ stream: ExtensionStream) throws {
        switch stream.method {
        case Method.echo:
            while let message = try stream.receiveAndWait() { try stream.sendAndWait(message + message) }
            try stream.finish()
        case Method.produce:
            for index in 0..<Int(stream.arguments.first ?? 0) * 100 {
                try stream.sendAndWait([UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 1000))
            }
            try stream.finish()
        case Method.hoard: _ = try stream.receiveAndWait()
        default: try stream.cancel(code: 9, text: "not today")
        }
    }

    @Test func `an extension learns of the end of a stream before it sends more`() async throws {
        let (streams, taken) = AsyncStream.makeStream(of: ChannelStream.self)
        let isLetGo = try Gate()
        let failure = Box(Mutex<StreamFailure?>(nil))
        let (host, thread) = try channel({ $1.onStream = { taken.yield($0) } }) { endpoint in
            let stream = try endpoint.openStream(Method.echo)
            try stream.sendAndWait([1])
            try isLetGo.wait()
            // The extension has credit for much more.
            do { try stream.sendAndWait([2]) } catch let error as StreamFailure {
                failure.value.withLock { $0 = error }
            }
            try serve(endpoint)
        }
        var iterator = streams.makeAsyncIterator()
        let stream = await iterator.next()
        #expect(try await stream?.receive() == [1])
        stream?.cancel(code: 9)
        isLetGo.open()
        host.finish(thread)
        #expect(failure.value.withLock { $0 } == .reset(code: 9, text: ""))
    }

    @Test func `a sender that waits for credit ends when the sending side is finished`() throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        let stream = try channel.host.openStream(1)
        writer.sendHello()
        // The host gets credit for one small message. Then the peer finishes its side.
        writer.send(RawPeer.frame(11, WireBytes.bytes(UInt32(1024)), call: stream.id))
        writer.send(RawPeer.frame(12, call: stream.id))
        let sender = ExtensionThread(raw: {
            try? stream.sendAndWait([UInt8](repeating: 0, count: 1000))
            #expect(throws: StreamFailure.finished) { try stream.sendAndWait([1]) }
        })
        while stream.inner.withLock({ $0.waiting.isEmpty || $0.state.isReceiving || $0.state.credit > 16 }) {
            usleep(100)
        }
        stream.finish()
        sender.join()
    }

    @Test func `messages go both ways in order to the end of a stream`() async throws {
        let (host, thread) = try channel { try serve($0) }
        _ = try await host.untilHello()
        let stream = try host.openStream(Method.echo)
        async let sent: Void = {
            for index in 0..<500 { try await stream.send([UInt8](repeating: UInt8(index % 251), count: index * 7)) }
            stream.finish()
        }()
        for index in 0..<500 {
            let message = try await stream.receive()
            #expect(message == [UInt8](repeating: UInt8(index % 251), count: index * 14))
        }
        #expect(try await stream.receive() == nil)
        try await sent
        // The reader that reads the end of a finished stream removes the stream from the table.
        await eventually { host.state.streams.withLock { $0.count } == 0 }
        host.finish(thread)
    }

    @Test func `threads use streams too`() throws {
        let (host, thread) = try channel { try serve($0) }
        let stream = try host.openStream(Method.echo)
        for index in 0..<300 {
            try stream.sendAndWait([UInt8(index % 200)], timeout: .patience)
            #expect(try stream.receiveAndWait(timeout: .patience) == [UInt8(index % 200), UInt8(index % 200)])
        }
        stream.finish()
        #expect(try stream.receiveAndWait(timeout: .patience) == nil)
        host.finish(thread)
    }

    @Test func `BOMB-11: a producer waits for a host that does not read`() throws {
        let (host, thread) = try channel { try serve($0) }
        let stream = try host.openStream(Method.produce, arguments: [10], window: 8192)
        // When no more messages arrive, the producer has used up its credit. The waiting messages never exceed the
        // window.
        while stream.inner.withLock({ $0.state.owed }) >= StreamState.cost(1000) { Processor.yield() }
        for index in 0..<1000 {
            #expect(stream.inner.withLock { $0.queue.count } * 1016 <= 8192)
            let message = try stream.receiveAndWait(timeout: .patience)
            #expect(message == [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 1000))
        }
        #expect(try stream.receiveAndWait(timeout: .patience) == nil)
        stream.finish()
        host.finish(thread)
    }

    @Test func `a host waits for a consumer that does not read`() throws {
        let (host, thread) = try channel { endpoint in
            let kept = Kept()
            endpoint.handleStreams { stream in kept.streams.append(stream) }
            try endpoint.serve { request in try request.reply() }
        }
        let stream = try host.openStream(Method.hoard)
        var sent = 0
        #expect(throws: StreamFailure.deadlineExceeded) {
            while true {
                // The ring holds fewer frames than the window. So every message but the last may have to wait for the
                // reader.
                let limit: Duration = sent < 65 ? .patience : .milliseconds(100)
                try stream.sendAndWait([UInt8](repeating: 1, count: 984), timeout: limit)
                sent += 1
            }
        }
        #expect(sent == 65, "the window of 65,536 bytes holds 65 messages of 1,000")
        #expect(try host.callAndWait(Request(method: 1), timeout: .patience).payload.isEmpty, "calls go on")
        host.finish(thread)
    }

    @Test func `a stream that one side releases is reset on the other side`() async throws {
        let (host, thread) = try channel { try serve($0) }
        let stream = try host.openStream(Method.refuse)
        await #expect(throws: StreamFailure.reset(code: 9, text: "not today")) { try await stream.receive() }
        await #expect(throws: StreamFailure.reset(code: 9, text: "not today")) { try await stream.send([1]) }
        host.finish(thread)
    }

    @Test func `a stream that no handler takes is refused`() async throws {
        let (host, thread) = try channel { endpoint in try endpoint.serve { try $0.reply() } }
        let stream = try host.openStream(Method.echo)
        let failure = await #expect(throws: StreamFailure.self) { try await stream.receive() }
        guard case .reset(StreamFailure.rejectedCode, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        host.finish(thread)
    }

    @Test func `a cancelled task stops its wait in a stream`() async throws {
        let (host, thread) = try channel { endpoint in
            let kept = Kept()
            endpoint.handleStreams { stream in kept.streams.append(stream) }
            try endpoint.serve { try $0.reply() }
        }
        let stream = try host.openStream(Method.hoard)
        let waiting = Task { try await stream.receive() }
        waiting.cancel()
        await #expect(throws: StreamFailure.cancelled) { try await waiting.value }
        host.finish(thread)
    }

    @Test func `the end of a channel ends its streams`() async throws {
        let (host, thread) = try channel { endpoint in
            let kept = Kept()
            endpoint.handleStreams { stream in kept.streams.append(stream) }
            try endpoint.serve { try $0.reply() }
        }
        let stream = try host.openStream(Method.hoard)
        let waiting = Task { try await stream.receive() }
        host.finish(thread)
        await #expect(throws: StreamFailure.channel(.ended(reason: "the test is over"))) { try await waiting.value }
    }

    @Test func `an extension opens streams too`() async throws {
        let (came, arrive) = AsyncStream.makeStream(of: ChannelStream.self)
        let (host, thread) = try channel({ $1.onStream = { arrive.yield($0) } }) { endpoint in
            let stream = try endpoint.openStream(30, arguments: [1, 2])
            for index in 0..<200 { try stream.sendAndWait([UInt8](repeating: UInt8(index), count: 900)) }
            try stream.finish()
            let last = try stream.receiveAndWait()
            #expect(last == [42])
            try endpoint.serve { try $0.reply() }
        }
        var iterator = came.makeAsyncIterator()
        let stream = try #require(await iterator.next())
        #expect(stream.method == 30 && stream.arguments == [1, 2])
        var count = 0
        while let message = try await stream.receive() {
            #expect(message == [UInt8](repeating: UInt8(count), count: 900))
            count += 1
        }
        #expect(count == 200)
        try await stream.send([42])
        stream.finish()
        host.finish(thread)
    }
}

/// Streams that an extension accepts, but neither reads nor releases.
private final class Kept {
    var streams: [ExtensionStream] = []
}
