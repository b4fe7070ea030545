import AnnexTestSupport
import Synchronization
import Testing

@testable import AnnexChannel

/// A number in a message.
private struct Number: Message, Hashable {
    var value: UInt32

    init(_ value: UInt32) { self.value = value }
    func encode(into encoder: inout MessageEncoder) { encoder.encode(value, as: 1) }
    init(from decoder: inout MessageDecoder) throws(DecodingFailure) { value = try decoder.decode(1) }
}

/// A stream that returns numbers. Each number is increased by the number in the arguments.
private enum Sum: ChannelStreamKind {
    static let method: UInt16 = 30
    typealias Arguments = Number
    typealias FromHost = Number
    typealias FromExtension = Number
}

/// The same kind of stream, but the host sends texts of any length.
private enum Length: ChannelStreamKind {
    static let method: UInt16 = 31
    typealias Arguments = NoContent
    typealias FromHost = Resized
    typealias FromExtension = Number
}

/// Typed streams between a real host's end and a real extension's end on a thread.
@Suite(.timeLimit(.minutes(20))) struct TypedStreamTests {
    private final class Served: Sendable {
        let host: HostEndpoint
        let unreadable = Mutex<[UInt16]>([])
        private let thread = Mutex<ExtensionThread?>(nil)

        init(_ hosted: HostService = HostService(), _ register: @escaping @Sendable (inout ChannelService) -> Void)
            throws
        {
            var handlers = ChannelHandlers()
            hosted.install(in: &handlers)
            let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers)
            host = ends.host
            let thread = ExtensionThread(ends.descriptors) { endpoint in
                try endpoint.sayHello()
                var service = ChannelService()
                register(&service)
                try service.serve(endpoint)
            }
            self.thread.withLock { $0 = thread }
        }

        /// Says goodbye. The extension's loop ends only when the tasks of its streams have ended.
        func finish() {
            try? host.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
            thread.withLock { $0.take() }?.join()
            host.end(with: "the test is over")
        }
    }

    private static func addInTasks(_ service: inout ChannelService) {
        service.handleStreams(Sum.self) { stream async throws in
            for try await number in stream { try await stream.send(Number(number.value + stream.arguments.value)) }
            try stream.finish()
        }
    }

    private static func addAndWait(_ service: inout ChannelService) {
        service.handleStreams(Sum.self) { stream in
            while let number = try stream.receiveAndWait() {
                try stream.sendAndWait(Number(number.value + stream.arguments.value))
            }
            try stream.finish()
        }
    }

    @Test(arguments: [true, false]) func `typed messages go both ways in order`(_ inTasks: Bool) async throws {
        let served = try Served { service in
            if inTasks { Self.addInTasks(&service) } else { Self.addAndWait(&service) }
        }
        let stream = try await served.host.openTypedStream(Sum.self, arguments: Number(5))
        async let sent: Void = {
            for number in 0..<5000 as Range<UInt32> { try await stream.send(Number(number)) }
            stream.finish()
        }()
        var next: UInt32 = 0
        for try await number in stream {
            #expect(number == Number(next + 5))
            next += 1
        }
        #expect(next == 5000)
        try await sent
        served.finish()
    }

    @Test func `tasks of many streams take turns on the thread`() async throws {
        let served = try Served { Self.addInTasks(&$0) }
        let host = served.host
        try await withThrowingTaskGroup(of: Void.self) { group in
            for offset in 1...20 as ClosedRange<UInt32> {
                group.addTask {
                    let stream = try await host.openTypedStream(Sum.self, arguments: Number(offset))
                    for number in 0..<100 as Range<UInt32> {
                        try await stream.send(Number(number))
                        #expect(try await stream.receive() == Number(number + offset))
                    }
                    stream.finish()
                    #expect(try await stream.receive() == nil)
                }
            }
            try await group.waitForAll()
        }
        served.finish()
    }

    @Test func `a task that waits for credit lets requests through`() async throws {
        let served = try Served { service in
            service.handleStreams(Sum.self) { stream async throws in
                for number in 0..<10_000 as Range<UInt32> { try await stream.send(Number(number)) }
                try stream.finish()
            }
            service.serve(Resize.self) { _ in Resized(image: [7]) }
        }
        let stream = try await served.host.openTypedStream(Sum.self, arguments: Number(0), window: 1024)
        let first = try await stream.receive()
        #expect(first == Number(0))
        #expect(try await served.host.call(Resize(width: 1), timeout: .patience) == Resized(image: [7]))
        // A message costs 26 bytes of the window.
        #expect(served.host.counters.framesReceived < 60)
        var next: UInt32 = 1
        for try await number in stream {
            #expect(number == Number(next))
            next += 1
        }
        #expect(next == 10_000)
        served.finish()
    }

    @Test func `a reset of the host cancels the task of its stream`() async throws {
        let (ends, ended) = AsyncStream.makeStream(of: Bool.self)
        let served = try Served { service in
            service.handleStreams(Sum.self) { stream async throws in
                defer { ended.yield(Task.isCancelled) }
                try await stream.send(Number(1))
                _ = try await stream.receive()
            }
        }
        let stream = try await served.host.openTypedStream(Sum.self, arguments: Number(0))
        #expect(try await stream.receive() == Number(1))
        stream.cancel()
        var iterator = ends.makeAsyncIterator()
        #expect(await iterator.next() == true)
        served.finish()
    }

    @Test func `the goodbye ends a task that waits in a stream`() async throws {
        let held = Box(Mutex<ExtensionFailure?>(nil))
        let served = try Served { service in
            service.handleStreams(Sum.self) { stream async throws in
                try await stream.send(Number(1))
                do throws(ExtensionFailure) { _ = try await stream.receive() } catch {
                    held.value.withLock { $0 = error }
                }
            }
        }
        let stream = try await served.host.openTypedStream(Sum.self, arguments: Number(0))
        #expect(try await stream.receive() == Number(1))
        served.finish()
        #expect(held.value.withLock { $0 } == .cancelled)
    }

    @Test func `a message that the extension cannot decode resets the stream`() async throws {
        let failures = AsyncStream.makeStream(of: ExtensionFailure.self)
        let served = try Served { service in
            service.handleStreams(Sum.self) { stream async throws in
                do throws(ExtensionFailure) { _ = try await stream.receive() } catch {
                    failures.continuation.yield(error)
                }
            }
        }
        let stream = try served.host.openStream(Sum.method, arguments: try Number(1).encoded())
        try await stream.send([1])
        var iterator = failures.stream.makeAsyncIterator()
        guard case .unreadable? = await iterator.next() else {
            Issue.record("it was decoded")
            return
        }
        await expectReset(stream)
        await expectReset(try served.host.openStream(Sum.method, arguments: [1]))
        served.finish()
    }

    private func expectReset(_ stream: ChannelStream) async {
        let failure = await #expect(throws: StreamFailure.self) { try await stream.receive() }
        guard case .reset(HandlerFailure.unreadableCode, _)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    /// A channel to a hostile extension. The host reports the methods whose messages it cannot decode.
    private func reportingChannel(to reports: AsyncStream<UInt16>.Continuation) throws -> HostileChannel {
        try HostileChannel(handlers: { $0.onUnreadable = { method, _ in reports.yield(method) } })
    }

    @Test func `a message that the host cannot decode is reported once and ends the stream`() async throws {
        let reports = AsyncStream.makeStream(of: UInt16.self)
        let channel = try reportingChannel(to: reports.continuation)
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let stream = try await channel.host.openTypedStream(Sum.self, arguments: Number(0))
        let id: UInt64 = 3
        writer.send(RawPeer.frame(10, [1], call: id))
        writer.send(RawPeer.frame(10, try Number(2).encoded(), call: id))
        for _ in 0..<2 {
            let failure = await #expect(throws: StreamFailure.self) { try await stream.receive() }
            guard case .unreadable? = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }
        // The report is made on the loop's thread.
        for _ in 0..<2 { await withCheckedContinuation { turn in channel.loop.execute { turn.resume() } } }
        reports.continuation.finish()
        var methods: [UInt16] = []
        for await method in reports.stream { methods.append(method) }
        #expect(methods == [Sum.method])
        channel.host.end(with: "over")
    }

    @Test func `a message that the host cannot decode is reported even if a reset follows it`() async throws {
        let reports = AsyncStream.makeStream(of: UInt16.self)
        let channel = try reportingChannel(to: reports.continuation)
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let stream = try await channel.host.openTypedStream(Sum.self, arguments: Number(0))
        writer.send(RawPeer.frame(10, [1], call: 3))
        writer.send(RawPeer.frame(13, StreamFrame.reset(code: 5, "gone"), call: 3))
        await #expect(throws: StreamFailure.self) { try await stream.receive() }
        var methods = reports.stream.makeAsyncIterator()
        #expect(await methods.next() == Sum.method)
        channel.host.end(with: "over")
    }

    @Test func `handlers of streams that the extension resets at once are bounded`() async throws {
        let begun = Mutex(0)
        let (waiting, gate) = AsyncStream.makeStream(of: Void.self)
        var hosted = HostService()
        hosted.handleStreams(Sum.self) { _ in
            begun.withLock { $0 += 1 }
            // The reset of the stream does not end this wait.
            for await _ in waiting {}
        }
        let channel = try HostileChannel({ $0.mostStreams = 3 }, handlers: { [hosted] in hosted.install(in: &$0) })
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        for id: UInt64 in [2, 4, 6, 8, 10, 12, 14, 16] {
            let opening = StreamFrame.opening(window: 4096, try Number(1).encoded())
            writer.send(RawPeer.frame(9, opening, method: Sum.method, call: id))
            writer.send(RawPeer.frame(13, StreamFrame.reset(code: 5, "gone"), call: id))
        }
        await eventually { begun.withLock { $0 } >= 3 }
        for _ in 0..<2 { await withCheckedContinuation { turn in channel.loop.execute { turn.resume() } } }
        #expect(begun.withLock { $0 } == 3)
        gate.finish()
        channel.host.end(with: "over")
    }

    @Test func `the error that a handler of the host throws resets the stream of the extension`() async throws {
        let failures = AsyncStream.makeStream(of: ExtensionFailure.self)
        var hosted = HostService()
        hosted.handleStreams(Sum.self) { stream in
            guard stream.arguments == Number(1) else { throw HandlerFailure(code: 6, text: "no") }
            for try await number in stream { try await stream.send(Number(number.value * 2)) }
            stream.finish()
        }
        let served = try Served(hosted) { service in
            service.serve(Resize.self) { request, context async throws in
                let stream = try context.openStream(Sum.self, arguments: Number(request.width))
                do throws(ExtensionFailure) {
                    try await stream.send(Number(21))
                    let answer = try await stream.receive()
                    return Resized(image: [UInt8(answer?.value ?? 0)])
                } catch {
                    failures.continuation.yield(error)
                    return Resized(image: [])
                }
            }
        }
        #expect(try await served.host.call(Resize(width: 1), timeout: .patience) == Resized(image: [42]))
        #expect(try await served.host.call(Resize(width: 2), timeout: .patience) == Resized(image: []))
        var iterator = failures.stream.makeAsyncIterator()
        #expect(await iterator.next() == .stream(.reset(code: 6, text: "no")))
        served.finish()
    }

    @Test func `a message that is too large is not sent and the stream stays open`() async throws {
        let served = try Served { service in
            service.handleStreams(Length.self) { stream async throws in
                for try await text in stream { try await stream.send(Number(UInt32(text.image.count))) }
                try stream.finish()
            }
        }
        let stream = try await served.host.openTypedStream(Length.self, arguments: NoContent())
        let failure = await #expect(throws: StreamFailure.self) {
            try await stream.send(Resized(image: [UInt8](repeating: 0, count: 100_000)))
        }
        guard case .messageTooLarge? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        await #expect(throws: StreamFailure.unencodable(.tooLong(limit: 1 << 20))) {
            try await stream.send(Resized(image: [UInt8](repeating: 0, count: 2 << 20)))
        }
        try await stream.send(Resized(image: [1, 2, 3]))
        #expect(try await stream.receive() == Number(3))
        served.finish()
    }
}
