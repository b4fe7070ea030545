import AnnexChannel
import AnnexLinux
import AnnexTestSupport
import Testing

/// Rules for the extension's end of a channel, in any language and over any transport.
@Suite(.serialized, .timeLimit(.minutes(20))) struct ConformanceTests {
    /// Runs a body with a channel to an extension of this kind. The channel is ready for calls. Skips the test if that
    /// kind cannot run here.
    private func run(
        _ kind: ConformingExtension, handlers: ChannelHandlers = ChannelHandlers(),
        _ body: (HostEndpoint) async throws -> Void
    ) async throws {
        if let missing = kind.missing { try Test.cancel("\(missing)") }
        let (host, running) = try kind.start(handlers)
        #expect(try await host.untilHello().features == 9)
        try await body(host)
        try host.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
        // The extension ends by itself.
        running.join()
        #expect(running.hasEndedWell)
        host.end(with: "the test is over")
    }

    @Test(arguments: ConformingExtension.allCases)
    func `an extension answers requests with their bytes`(_ kind: ConformingExtension) async throws {
        try await run(kind) { host in
            for size in [0, 1, 15, 16, 17, 63, 64, 65, 1000, 4096, 30_000] {
                let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                let answer = try await host.call(Request(method: 1, payload: payload), timeout: .patience).payload
                #expect(answer == payload)
            }
            // Together, these payloads are larger than the rings. So the positions in both rings wrap around several
            // times.
            for index in 0..<500 {
                let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: index * 3)
                let answer = try await host.call(Request(method: 1, payload: payload), timeout: .patience).payload
                #expect(answer == payload)
            }
        }
    }

    @Test(arguments: ConformingExtension.allCases)
    func `a failure carries its code and its text`(_ kind: ConformingExtension) async throws {
        try await run(kind) { host in
            await #expect(throws: CallFailure.failed(code: 7, text: "no")) {
                _ = try await host.call(Request(method: 2), timeout: .patience)
            }
            let failure = await #expect(throws: CallFailure.self) {
                _ = try await host.call(Request(method: 3), timeout: .patience)
            }
            guard case .failed(HandlerFailure.unknownMethodCode, _) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }
    }

    @Test func `an answer that is too large for a packet is a failure of its call`() async throws {
        try await run(.python) { host in
            let failure = await #expect(throws: CallFailure.self) {
                _ = try await host.call(Request(method: 6), timeout: .patience)
            }
            guard case .failed(HandlerFailure.tooLargeCode, _) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }
    }

    @Test(arguments: ConformingExtension.allCases)
    func `events arrive in order in both directions`(_ kind: ConformingExtension) async throws {
        let (events, event) = AsyncStream.makeStream(of: ChannelEvent.self)
        var handlers = ChannelHandlers()
        handlers.onEvent = { event.yield($0) }
        try await run(kind, handlers: handlers) { host in
            for index in 0..<200 { try host.sendAndWait(ChannelEvent(method: 4, payload: [UInt8(index)])) }
            var iterator = events.makeAsyncIterator()
            for index in 0..<200 {
                #expect(await iterator.next() == ChannelEvent(method: 5, payload: [UInt8(index)]))
            }
        }
    }

    @Test(arguments: ConformingExtension.allCases)
    func `an extension answers all of many calls at once`(_ kind: ConformingExtension) async throws {
        try await run(kind) { host in
            try await withThrowingTaskGroup { group in
                for index in 0..<20 {
                    group.addTask {
                        for turn in 0..<20 {
                            let payload = [UInt8(index), UInt8(turn)]
                            let request = Request(method: 1, payload: payload)
                            let answer = try await host.call(request, timeout: .patience).payload
                            #expect(answer == payload)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: ConformingExtension.allCases)
    func `a frame of a kind that an extension does not know harms nothing`(_ kind: ConformingExtension) async throws {
        try await run(kind) { host in
            if let stream = try? host.openStream(20) {
                await #expect(throws: StreamFailure.self) { try await stream.receive() }
            }
            let answer = try await host.call(Request(method: 1, payload: [1]), timeout: .patience).payload
            #expect(answer == [1])
        }
    }
}
