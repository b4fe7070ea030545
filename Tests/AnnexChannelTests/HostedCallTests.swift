import AnnexLinux
import AnnexTestSupport
import Synchronization
import Testing

@testable import AnnexChannel

/// Calls that an extension makes to its host.
@Suite(.timeLimit(.minutes(20))) struct HostedCallTests {
    /// Runs a body in the extension and returns its result.
    private func run<Value: Sendable>(
        serving service: HostService? = nil, handlers change: (inout ChannelHandlers) -> Void = { _ in },
        _ body: @escaping @Sendable (borrowing ExtensionEndpoint) throws -> Value
    ) throws -> Value? {
        var handlers = ChannelHandlers()
        service?.install(in: &handlers)
        change(&handlers)
        let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers)
        let host = ends.host
        let outcome = Mutex<Value?>(nil)
        let box = Box(outcome)
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            let value = try body(endpoint)
            box.value.withLock { $0 = value }
            try endpoint.serve { try $0.reply() }
        }
        host.finish(thread)
        return box.value.withLock { $0 }
    }

    private var doubling: HostService {
        var service = HostService()
        service.serve(Resize.self) { request in
            guard request.width > 0 else { throw HandlerFailure(code: 7, text: "no width") }
            return Resized(image: request.image + request.image)
        }
        service.serve(Forget.self) { _ async throws in
            await Task.yield()
            return NoContent()
        }
        return service
    }

    @Test func `a host answers the calls of its extension`() throws {
        let answers = try run(serving: doubling) { endpoint in
            try (1...100).map {
                try endpoint.callAndWait(Resize(width: 1, image: [UInt8($0)]), timeout: .patience).image
            }
        }
        #expect(answers == (1...100).map { [UInt8($0), UInt8($0)] })
    }

    /// The test waits as a task. If it blocked a thread of the pool, the answer might need exactly that thread.
    @Test func `a host that runs as a task answers the calls of its extension`() async throws {
        var handlers = ChannelHandlers()
        doubling.install(in: &handlers)
        let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers)
        let host = ends.host
        let (answers, told) = AsyncStream.makeStream(of: NoContent?.self)
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            told.yield(try? endpoint.callAndWait(Forget()))
            told.finish()
            try endpoint.serve { try $0.reply() }
        }
        var iterator = answers.makeAsyncIterator()
        let answer = await iterator.next()
        host.finish(thread)
        #expect(answer == NoContent())
    }

    @Test func `an error that a handler of the host throws reaches the extension as a failure`() throws {
        let failure = try run(serving: doubling) { endpoint -> ExtensionFailure? in
            do throws(ExtensionFailure) { _ = try endpoint.callAndWait(Resize(width: 0)) } catch { return error }
            return nil
        }
        #expect(failure == .failed(code: 7, text: "no width"))
    }

    @Test func `a host without handlers answers that it does not know the method`() throws {
        let failure = try run { endpoint -> ExtensionFailure? in
            do throws(ExtensionFailure) { _ = try endpoint.callAndWait(5) } catch { return error }
            return nil
        }
        guard case .failed(HandlerFailure.unknownMethodCode, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test func `a request that the host drops is answered with a failure`() throws {
        let failure = try run(handlers: { $0.onRequest = { _ = consume $0 } }) { endpoint -> ExtensionFailure? in
            do throws(ExtensionFailure) { _ = try endpoint.callAndWait(5) } catch { return error }
            return nil
        }
        #expect(failure == .failed(code: IncomingRequest.droppedCode, text: "no answer was given"))
    }

    @Test func `a late answer of the host is dropped and the next call is served`() throws {
        let shelf = Shelf()
        let failure = try run(handlers: { $0.onRequest = { shelf.put($0) } }) {
            endpoint -> ExtensionFailure? in
            var failure: ExtensionFailure?
            do throws(ExtensionFailure) { _ = try endpoint.callAndWait(5, timeout: .milliseconds(20)) } catch {
                failure = error
            }
            // The host answers too late, but it still serves the next call.
            _ = try? endpoint.callAndWait(6, timeout: .milliseconds(20))
            return failure
        }
        #expect(failure == .deadlineExceeded)
    }

    @Test func `a request that is too large to send uses up no call number`() throws {
        let failures = try run(serving: doubling) { endpoint in
            // The bytes of the second call alone would fit, but its terms, such as its time limit, need room too.
            var failures: [ExtensionFailure] = []
            for size in [40_000, 32_768, 32_745] {
                do throws(ExtensionFailure) {
                    _ = try endpoint.callAndWait(5, payload: [UInt8](repeating: 0, count: size), timeout: .patience)
                } catch { failures.append(error) }
            }
            _ = try endpoint.callAndWait(Resize(width: 1, image: [1]), timeout: .patience)
            return failures
        }
        #expect(failures == [40_000, 32_768, 32_745].map { .payloadTooLarge(bytes: $0, most: 32_744) })
    }

    @Test func `the largest request that fits is answered`() throws {
        let failure = try run(serving: doubling) { endpoint -> ExtensionFailure? in
            do throws(ExtensionFailure) {
                _ = try endpoint.callAndWait(5, payload: [UInt8](repeating: 0, count: 32_744), timeout: .patience)
            } catch { return error }
            return nil
        }
        #expect(failure == .failed(code: HandlerFailure.unknownMethodCode, text: "unknown method"))
    }

    @Test func `a stream that could not be opened is not reset`() throws {
        let failure = try run(serving: doubling) { endpoint -> ExtensionFailure? in
            var failure: ExtensionFailure?
            do throws(ExtensionFailure) {
                _ = try endpoint.openStream(5, arguments: [UInt8](repeating: 0, count: 32_765))
            } catch { failure = error }
            _ = try endpoint.callAndWait(Resize(width: 1, image: [1]), timeout: .patience)
            return failure
        }
        #expect(failure == .payloadTooLarge(bytes: 32_769, most: 32_768))
    }

    @Test func `BOMB-11: a call that its caller gave up counts until its answer`() async throws {
        let shelf = Shelf()
        let channel = try HostileChannel({ $0.mostHostedCalls = 4 }, handlers: { $0.onRequest = { shelf.put($0) } })
        var writer = RawWriter(channel.peer)
        var events = channel.events.makeAsyncIterator()
        writer.sendHello()
        func ask(_ calls: ClosedRange<UInt64>) async {
            for call in calls {
                writer.send(RawPeer.frame(2, [UInt8](repeating: 0xFF, count: 24), call: call))
                writer.send(RawPeer.frame(5, call: call))
            }
            writer.send(RawPeer.frame(6))
            _ = await events.next()
        }
        await ask(1...10)
        #expect(shelf.count == 4)
        #expect(shelf.areAllCancelled)
        shelf.clear()
        // An answer that no caller receives also makes room.
        await ask(11...20)
        #expect(shelf.count == 4)
        shelf.clear()
    }

    @Test func `all calls in both directions at once are answered`() async throws {
        var handlers = ChannelHandlers()
        doubling.install(in: &handlers)
        let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            // The extension answers each request with the host's answer to the extension's own call.
            while let incoming = try endpoint.next() {
                switch consume incoming {
                case .request(let request):
                    let payload = request.payload
                    let image = try endpoint.callAndWait(Resize(width: 1, image: payload)).image
                    try request.reply(image)
                case .event(let event): if event.method == ExtensionThread.endMethod { return }
                }
            }
        }
        try await withThrowingTaskGroup { group in
            for index in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        let answer = try await host.call(Request(method: 1, payload: [UInt8(index)])).payload
                        #expect(answer == [UInt8(index), UInt8(index)])
                    }
                }
            }
            try await group.waitForAll()
        }
        host.finish(thread)
    }
}
