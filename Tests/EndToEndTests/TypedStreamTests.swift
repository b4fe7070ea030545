import AnnexChannel
import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Conducts
import Testing

/// Typed streams through a sandbox, between tasks of the host and tasks of the extension.
@Suite(.timeLimit(.minutes(20))) struct TypedStreamTests {
    // The app's folder stays as long as the test runs.
    private let app: SubstituteApp
    private let host: AnnexHost

    init() throws {
        app = try SubstituteApp(running: "serves-everything")
        host = try AnnexHost.embedded(apps: [app.path], patience: .patience)
    }

    private func begin(serving service: HostService = HostService()) async throws -> ExtensionSession {
        try await host.begin(SubstituteApp.identifier, serving: service)
    }

    private func text(_ session: ExtensionSession, _ text: String) async throws -> String? {
        try await session.request([ExtensionItem(contentText: text)]).first?.contentText
    }

    /// Checks that the error is an end, and returns the reason of the end.
    private func endReason(_ error: HostError?) -> Termination.Reason? {
        guard case .ended(let end)? = error else {
            Issue.record("\(String(describing: error))")
            return nil
        }
        return end.reason
    }

    // MARK: Both ways

    @Test func `words go both ways through a typed stream to its end`() async throws {
        let session = try await begin()
        let stream = try await session.openStream(Dialogue.self, arguments: Word("echoes"))
        async let sent: Void = {
            for number in 0..<300 { try await stream.send(Word("\(number)")) }
            stream.finish()
        }()
        var heard: [String] = []
        for try await word in stream { heard.append(word.text) }
        try await sent
        #expect(heard == (0..<300).map { "\($0)!" })
        #expect(await session.complete().reason == .completed)
    }

    @Test func `several typed streams and requests go on at once`() async throws {
        let session = try await begin()
        let first = try await session.openStream(Dialogue.self, arguments: Word("echoes"))
        let second = try await session.openStream(Dialogue.self, arguments: Word("echoes"))
        for number in 0..<20 {
            try await first.send(Word("a\(number)"))
            try await second.send(Word("b\(number)"))
            #expect(try await second.receive() == Word("b\(number)!"))
            #expect(try await text(session, "echoes c\(number)") == "c\(number)")
            #expect(try await first.receive() == Word("a\(number)!"))
        }
        first.finish()
        #expect(try await first.receive() == nil)
        second.cancel()
        #expect(await session.complete().reason == .completed)
    }

    @Test func `a host without tasks uses typed streams too`() throws {
        let session = try host.beginAndWait(SubstituteApp.identifier)
        let stream = try session.openStreamAndWait(Steps.self, arguments: NoContent())
        for number in 0..<100 {
            try stream.sendAndWait(Word("\(number)"))
            #expect(try stream.receiveAndWait() == Word("\(number)"))
        }
        stream.finish()
        #expect(try stream.receiveAndWait() == nil)
        #expect(session.completeAndWait().reason == .completed)
    }

    @Test func `an extension opens a typed stream to its host`() async throws {
        var service = HostService()
        service.handleStreams(Diary.self) { stream in
            try await stream.send(Word(stream.arguments.text + ": "))
            for try await letter in stream { try await stream.send(Word(letter.text.uppercased())) }
            stream.finish()
        }
        let session = try await begin(serving: service)
        #expect(try await text(session, "writes abc") == "abc: ABC")
        #expect(await session.complete().reason == .completed)
    }

    // MARK: Back pressure and cancellation

    @Test func `an extension waits for a host that reads slowly`() async throws {
        let session = try await begin()
        let before = session.statistics.messagesReceived
        let stream = try await session.openStream(Dialogue.self, arguments: Word("counts 400"))
        // 64 words of about 1,020 bytes use up the window of 65,536.
        await eventually { session.statistics.messagesReceived >= before + 64 }
        // The extension's task awaits the host's credit, so the extension answers other requests at the same time.
        for _ in 0..<5 { #expect(try await text(session, "echoes a") == "a") }
        #expect(session.statistics.messagesReceived < before + 80)
        var count = 0
        for try await word in stream {
            #expect(word.text.hasPrefix("\(count)x"))
            count += 1
        }
        #expect(count == 400)
        #expect(await session.complete().reason == .completed)
    }

    @Test func `cancelling the reading task of the host cancels the task of the extension`() async throws {
        let session = try await begin()
        let (openings, opened) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            let stream = try await session.openStream(Dialogue.self, arguments: Word("sleeps"))
            opened.yield()
            for try await _ in stream {}
        }
        var opening = openings.makeAsyncIterator()
        await opening.next()
        #expect(try await text(session, "cancellations") == "0")
        reading.cancel()
        let error = await #expect(throws: HostError.self) { try await reading.value }
        guard case .taskCancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        while try await text(session, "cancellations") != "1" { await Task.yield() }
        #expect(await session.complete().reason == .completed)
    }

    @Test func `the goodbye ends the tasks of open streams`() async throws {
        let session = try await begin()
        let stream = try await session.openStream(Dialogue.self, arguments: Word("echoes"))
        try await stream.send(Word("a"))
        #expect(try await stream.receive() == Word("a!"))
        #expect(await session.complete().reason == .completed)
        let error = await #expect(throws: HostError.self) { try await stream.receive() }
        // The extension resets the stream before it ends.
        guard case .cancelled(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.domain == ExtensionError.annexDomain)
    }

    // MARK: Errors

    @Test func `a message that is no word ends the extension`() async throws {
        let session = try await begin()
        let stream = try await session.openStream(Babble.self, arguments: NoContent())
        let error = await #expect(throws: HostError.self) { for try await _ in stream {} }
        #expect(endReason(error) == .protocolViolation)
        #expect("\(String(describing: error))".contains("a message of method 27 that cannot be read"))
    }

    @Test func `a message of the host that is no word resets the stream`() async throws {
        let session = try await begin()
        let stream = try session.channel.openStream(Dialogue.method, arguments: try Word("echoes").encoded())
        try await stream.send([1, 2])
        let error = await #expect(throws: StreamFailure.self) { try await stream.receive() }
        guard case .reset(HandlerFailure.unreadableCode, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let second = try session.channel.openStream(Dialogue.method, arguments: [1, 2])
        await #expect(throws: StreamFailure.self) { try await second.receive() }
        #expect(try await text(session, "echoes a") == "a")
        #expect(await session.complete().reason == .completed)
    }

    @Test func `an extension that crashes in the middle of a stream ends its reader`() async throws {
        let session = try await begin()
        let stream = try await session.openStream(Dialogue.self, arguments: Word("crashes"))
        var heard: [Word] = []
        let error = await #expect(throws: HostError.self) { for try await word in stream { heard.append(word) } }
        #expect(endReason(error) == .crashed)
        #expect(heard == [Word("last")])
    }

    @Test func `the error of a handler reaches the reader`() async throws {
        let session = try await begin()
        let stream = try await session.openStream(Dialogue.self, arguments: Word("throws"))
        let error = await #expect(throws: HostError.self) { try await stream.receive() }
        guard case .cancelled(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            reason == ExtensionError(code: 9, domain: ExtensionError.handlerDomain, localizedDescription: "not today"))
        #expect(await session.complete().reason == .completed)
    }

    @Test func `a kind of stream that the extension does not serve is an error of its own`() async throws {
        let session = try await begin()
        let stream = try await session.openStream(Silence.self, arguments: NoContent())
        let error = await #expect(throws: HostError.self) { try await stream.receive() }
        guard case .unknownMethod? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(await session.complete().reason == .completed)
    }
}
