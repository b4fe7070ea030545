import AnnexChannel
import AnnexLinux
import AnnexTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(20))) struct TypedCallTests {
    /// An extension that serves the messages of these tests.
    private final class Resizer: Sendable {
        let host: HostEndpoint
        let hints = Mutex<[UInt32]>([])
        private let thread = Mutex<ExtensionThread?>(nil)

        init() throws {
            let ends = try HostEndpoint.make(configuration: .patient)
            host = ends.host
            let thread = ExtensionThread(ends.descriptors) { [weak self] endpoint in
                try endpoint.sayHello()
                var service = ChannelService()
                service.serve(Resize.self) { request in
                    guard request.width > 0 else { throw HandlerFailure(code: 7, text: "no width") }
                    guard request.width < 1000 else { return Resized(image: [UInt8](repeating: 1, count: 1 << 20)) }
                    return Resized(image: request.image.reversed() + [UInt8(truncatingIfNeeded: request.width)])
                }
                service.serveLater(Forget.self) { _, response in _ = consume response }
                service.handle(Hint.self) { hint in self?.hints.withLock { $0.append(hint.width) } }
                try service.serve(endpoint)
            }
            self.thread.withLock { $0 = thread }
        }

        func finish() {
            try? host.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
            thread.withLock { $0.take() }?.join()
            host.end(with: "the test is over")
        }
    }

    @Test func `BOMB-11: unanswered calls of tasks are bounded`() async throws {
        let channel = try HostileChannel { $0.mostOpenCalls = 4 }
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let (host, (outcomes, outcome)) = (channel.host, AsyncStream.makeStream(of: CallFailure.self))
        for _ in 0..<20 {
            Task {
                do throws(CallFailure) { _ = try await host.call(Resize(width: 1)) } catch { outcome.yield(error) }
            }
        }
        var iterator = outcomes.makeAsyncIterator()
        // When the table was full, one call may already have been on its way.
        for _ in 0..<15 { #expect(await iterator.next() == .tooManyCalls(most: 4)) }
        host.end(with: "over")
        for _ in 0..<5 { _ = await iterator.next() }
    }

    @Test func `a request that its reader would refuse is not sent`() throws {
        let channel = try HostileChannel { $0.hostCapacity = 1 << 22 }
        let image = [UInt8](repeating: 1, count: 3 << 19)
        #expect(throws: CallFailure.unencodable(.tooLong(limit: 1 << 20))) {
            _ = try channel.host.callAndWait(Resize(width: 1, image: image), timeout: .milliseconds(1))
        }
    }

    @Test func `a typed call returns the response to its request`() throws {
        let resizer = try Resizer()
        for width: UInt32 in 1...200 {
            let answer = try resizer.host.callAndWait(Resize(width: width, image: [1, 2, 3]))
            #expect(answer == Resized(image: [3, 2, 1, UInt8(width)]))
        }
        resizer.finish()
    }

    @Test func `a task makes typed calls too`() async throws {
        let resizer = try Resizer()
        for width: UInt32 in 1...200 {
            let answer = try await resizer.host.call(Resize(width: width, image: [1, 2, 3]), timeout: .patience)
            #expect(answer == Resized(image: [3, 2, 1, UInt8(width)]))
        }
        resizer.finish()
    }

    @Test func `an older reader skips the fields that a newer writer added`() throws {
        let resizer = try Resizer()
        #expect(try resizer.host.callAndWait(NewerResize()) == Resized(image: [2, 1, 5]))
        resizer.finish()
    }

    @Test func `an error that a handler throws reaches the caller as a failure`() throws {
        let resizer = try Resizer()
        #expect(throws: CallFailure.failed(code: 7, text: "no width")) {
            try resizer.host.callAndWait(Resize(width: 0))
        }
        resizer.finish()
    }

    @Test func `a request that no handler serves fails with the code for an unknown method`() throws {
        let resizer = try Resizer()
        let failure = #expect(throws: CallFailure.self) { try resizer.host.callAndWait(Unserved()) }
        guard case .failed(HandlerFailure.unknownMethodCode, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        resizer.finish()
    }

    @Test func `a response that the handler drops is a failure and not a silence`() throws {
        let resizer = try Resizer()
        let failure = #expect(throws: CallFailure.self) { try resizer.host.callAndWait(Forget(), timeout: .patience) }
        guard case .failed(IncomingRequest.droppedCode, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        resizer.finish()
    }

    @Test func `a response too large for a message is a failure`() throws {
        let resizer = try Resizer()
        let failure = #expect(throws: CallFailure.self) { try resizer.host.callAndWait(Resize(width: 1000)) }
        guard case .failed(HandlerFailure.tooLargeCode, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(try resizer.host.callAndWait(Resize(width: 1)).image == [1], "the extension lives on")
        resizer.finish()
    }

    /// The limit of the channel may be lower than the limit of a message.
    @Test(arguments: [false, true])
    func `a response too large for the channel is a failure that says so`(_ isLater: Bool) throws {
        var configuration = ChannelConfiguration.patient
        configuration.largestMessage = 100_000
        let ends = try HostEndpoint.make(configuration: configuration)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            var service = ChannelService()
            let large = Resized(image: [UInt8](repeating: 1, count: 200_000))
            if isLater {
                service.serveLater(Resize.self) { _, response in try? response.send(large) }
            } else {
                service.serve(Resize.self) { _ in large }
            }
            try service.serve(endpoint)
        }
        let failure = #expect(throws: CallFailure.self) {
            try host.callAndWait(Resize(width: 1), timeout: .patience)
        }
        guard case .failed(HandlerFailure.tooLargeCode, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        try host.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
        thread.join()
        host.end(with: "the test is over")
    }

    @Test func `a request too large for a message is refused before it is sent`() throws {
        let resizer = try Resizer()
        let most = MessageLimits.standard.bytes
        #expect(throws: CallFailure.unencodable(.tooLong(limit: most))) {
            try resizer.host.callAndWait(Resize(width: 1, image: [UInt8](repeating: 0, count: most)))
        }
        resizer.finish()
    }

    @Test func `IPC-09: an answer of another form than its request expects is a failure`() throws {
        let resizer = try Resizer()
        let failure = #expect(throws: CallFailure.self) { try resizer.host.callAndWait(Misread()) }
        guard case .unreadable(let reason) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(reason.tag == 1 && reason.reason == .wrongSize(expected: 8))
        resizer.finish()
    }

    @Test func `notices arrive in order`() throws {
        let resizer = try Resizer()
        for width: UInt32 in 0..<300 { try resizer.host.sendAndWait(Hint(width: width)) }
        // This call is answered after every message that was sent before it.
        _ = try resizer.host.callAndWait(Resize(width: 1))
        #expect(resizer.hints.withLock { $0 } == Array(0..<300))
        resizer.finish()
    }
}
