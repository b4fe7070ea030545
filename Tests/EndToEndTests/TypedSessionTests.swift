import AnnexChannel
import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Conducts
import Testing

/// Typed messages in both directions through a sandbox: the host's calls, and the services that the host offers its
/// extension at the same time.
@Suite(.timeLimit(.minutes(20))) struct TypedSessionTests {
    // The app's folder stays as long as the test runs.
    private let app: SubstituteApp
    private let host: AnnexHost

    init() throws {
        app = try SubstituteApp(running: "serves-types")
        host = try AnnexHost.embedded(apps: [app.path], patience: .patience)
    }

    /// A service that answers at once or in a task.
    private func service(inTasks: Bool) -> HostService {
        var service = HostService()
        if inTasks {
            service.serve(Translation.self) { request async throws in
                await Task.yield()
                return try Self.translate(request)
            }
        } else {
            service.serve(Translation.self) { request in try Self.translate(request) }
        }
        return service
    }

    private static func translate(_ request: Translation) throws -> Word {
        guard !request.word.text.isEmpty else { throw HandlerFailure(code: 7, text: "no word") }
        return Word(String(request.word.text.reversed()))
    }

    @Test(arguments: [true, false]) func `typed calls go through the sandbox and back`(_ inTasks: Bool) async throws {
        let session = try await host.begin(SubstituteApp.identifier, serving: service(inTasks: inTasks))
        for word in ["drow", "é", String(repeating: "x", count: 3000)] {
            #expect(try await session.call(Word(word), timeout: .patience) == Word(String(word.reversed()) + "!"))
        }
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
    }

    @Test func `a host without tasks makes typed calls too`() throws {
        let session = try host.beginAndWait(SubstituteApp.identifier, serving: service(inTasks: false))
        for _ in 0..<50 { #expect(try session.callAndWait(Word("drow"), timeout: .patience) == Word("word!")) }
        let end = session.completeAndWait()
        #expect(end.reason == .completed, "\(end)")
    }

    @Test func `an error of the host reaches the extension and comes back as its failure`() async throws {
        let session = try await host.begin(SubstituteApp.identifier, serving: service(inTasks: true))
        let error = await #expect(throws: HostError.self) { try await session.call(Word(""), timeout: .patience) }
        #expect("\(String(describing: error))".contains("no word"))
        // Both sides continue to work.
        #expect(try await session.call(Word("drow"), timeout: .patience) == Word("word!"))
        _ = await session.complete()
    }

    @Test func `a call to a host without services fails with an error that says so`() async throws {
        let session = try await host.begin(SubstituteApp.identifier)
        let error = await #expect(throws: HostError.self) { try await session.call(Word("x"), timeout: .patience) }
        #expect("\(String(describing: error))".contains("this host serves no calls"))
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
    }

    @Test func `an unknown method is reported as such for items and typed calls`() async throws {
        let typed = try await host.begin(SubstituteApp.identifier)
        await expectUnknownMethod { _ = try await typed.request([ExtensionItem(contentText: "a")]) }
        let other = try SubstituteApp(running: "works-on")
        let items = try AnnexHost.embedded(apps: [other.path], patience: .patience)
        let session = try await items.begin(SubstituteApp.identifier)
        await expectUnknownMethod { _ = try await session.call(Word("a"), timeout: .patience) }
        #expect(await session.complete().reason == .completed)
        #expect(await typed.complete().reason == .completed)
    }

    private func expectUnknownMethod(_ body: () async throws -> Void) async {
        let error = await #expect(throws: HostError.self) { try await body() }
        guard case .unknownMethod? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `notices and streams come out of the sandbox`() async throws {
        let (remarks, remark) = AsyncStream.makeStream(of: String.self)
        let (streams, stream) = AsyncStream.makeStream(of: ChannelStream.self)
        var service = service(inTasks: false)
        service.handle(Remark.self) { remark.yield($0.text) }
        service.handleStreams(Echo.method) { stream.yield($0) }
        let session = try await host.begin(SubstituteApp.identifier, serving: service)
        try await session.send(Remark("stream"))
        var heard = remarks.makeAsyncIterator()
        #expect(await heard.next() == "stream?")
        var opened = streams.makeAsyncIterator()
        let echo = try #require(await opened.next())
        #expect(echo.arguments == [1])
        #expect(try await echo.receive() == [2])
        #expect(try await echo.receive() == [3])
        for message in [[4], [5, 6]] as [[UInt8]] {
            try await echo.send(message)
            #expect(try await echo.receive() == message + [9])
        }
        echo.finish()
        #expect(try await echo.receive() == nil)
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
    }
}
