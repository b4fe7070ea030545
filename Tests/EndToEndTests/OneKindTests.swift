import AnnexBroker
import AnnexChannel
import AnnexHost
import AnnexModel
import AnnexPolicy
import AnnexTestSupport
import Conducts
import Synchronization
import Testing

/// One extension serves items, typed requests, notices and streams. It does this in tasks on its only thread.
@Suite(.timeLimit(.minutes(20))) struct OneKindTests {
    // The app's folder stays as long as the test runs.
    private let app: SubstituteApp

    init() throws {
        app = try SubstituteApp(running: "serves-everything")
    }

    private func begin(
        serving service: HostService = HostService(),
        _ adjust: @escaping @Sendable (inout PolicyLimits) -> Void = { _ in }
    ) async throws -> ExtensionSession {
        try await AnnexHost.patient(with: app, adjust).begin(SubstituteApp.identifier, serving: service)
    }

    /// Answers an extension's request with the reversed word.
    private var dictionary: HostService {
        var service = HostService()
        service.serve(Translation.self) { request async throws in
            await Task.yield()
            return Word(String(request.word.text.reversed()))
        }
        return service
    }

    private func text(_ session: ExtensionSession, _ text: String) async throws -> String? {
        try await session.request([ExtensionItem(contentText: text)]).first?.contentText
    }

    // MARK: One kind

    @Test func `one extension answers items and typed requests and streams`() async throws {
        let session = try await begin(serving: dictionary)
        #expect(try await text(session, "echoes hello") == "hello")
        #expect(try await session.call(Word("drow"), timeout: .patience) == Word("word!"))
        let stream = try session.channel.openStream(Echo.method)
        try await stream.send([1, 2])
        #expect(try await stream.receive() == [1, 2, 9])
        stream.finish()
        #expect(try await stream.receive() == nil)
        #expect(try await text(session, "asks abc") == "cba")
        #expect(await session.complete().reason == .completed)
    }

    @Test func `answers that come before their task suspends are not lost`() async throws {
        let session = try await begin(serving: dictionary)
        // The policy allows 1,000 messages a second.
        #expect(try await text(session, "asks-often 800") == "800")
        #expect(await session.complete().reason == .completed)
    }

    @Test func `notices that an items request sends arrive before its answer`() async throws {
        let heard = Heard<String>()
        var service = HostService()
        service.handle(Remark.self) { heard.add($0.text) }
        let session = try await begin(serving: service)
        for number in 0..<20 { #expect(try await text(session, "remarks \(number)") == "\(number)") }
        #expect(heard.all == (0..<20).map(String.init))
        #expect(await session.complete().reason == .completed)
    }

    @Test func `a typed handler sees that its call is cancelled`() async throws {
        let session = try await begin()
        let before = session.statistics.messagesSent
        let call = Task { try await session.call(Translation(of: Word("x"))) }
        await eventually { session.statistics.messagesSent > before }
        call.cancel()
        let error = await #expect(throws: HostError.self) { try await call.value }
        guard case .taskCancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await text(session, "echoes hello") == "hello")
        #expect(await session.complete().reason == .completed)
    }

    @Test func `a crash in a task has a signal and a place`() async throws {
        let session = try await begin()
        let error = await #expect(throws: HostError.self) { try await text(session, "crashes now") }
        guard case .ended(let end)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(end.reason == .crashed, "\(end)")
    }

    // MARK: Progress

    @Test func `progress arrives in order and in bounds and before the answer`() async throws {
        let session = try await begin()
        for _ in 0..<5 {
            let heard = Heard<RequestProgress>()
            let items = [ExtensionItem(contentText: "reports now")]
            let answer = try await session.request(items, timeout: .patience) { heard.add($0) }
            #expect(answer.first?.contentText == "reported")
            #expect(heard.all.first?.fraction == 0 && heard.all.first?.text == "begins")
            #expect(heard.all.last?.fraction == 1 && heard.all.last?.text == nil)
            #expect(heard.all.allSatisfy { $0.text.map { $0.utf8.count <= 256 } ?? true })
            #expect(heard.all.map(\.fraction) == heard.all.map(\.fraction).sorted())
        }
        #expect(await session.complete().reason == .completed)
    }

    @Test func `a flood of progress is thinned and its last report arrives`() async throws {
        let session = try await begin()
        let heard = Heard<RequestProgress>()
        let items = [ExtensionItem(contentText: "floods now")]
        let answer = try await session.request(items, timeout: .patience) { heard.add($0) }
        #expect(answer.first?.contentText == "now")
        #expect(heard.all.last?.text == "99999")
        #expect(heard.all.count < 10_000)
        // Without a handler, the extension sends nothing.
        let before = session.statistics
        #expect(try await text(session, "floods again") == "again")
        #expect(session.statistics.messagesReceived - before.messagesReceived <= 5)
        #expect(await session.complete().reason == .completed)
    }

    @Test func `a progress that is no number ends the extension`() async throws {
        let app = try SubstituteApp(running: "serves-types")
        let session = try await AnnexHost.patient(with: app).begin(SubstituteApp.identifier)
        try await session.send(Remark("misreport"))
        let error = await #expect(throws: HostError.self) {
            for _ in 0..<1000 {
                _ = try? await session.call(Word("a"), timeout: .milliseconds(100))
                if let end = session.termination { throw HostError.ended(end) }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        guard case .ended(let end)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(end.reason == .protocolViolation, "\(end)")
        #expect("\(end.detail)".contains("progress"), "\(end)")
    }

    // MARK: Tasks

    @Test func `tasks and actors and groups run on the one thread`() async throws {
        let session = try await begin()
        for _ in 0..<3 { #expect(try await text(session, "mixes all") == "6321") }
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
    }

    @Test func `several requests are open at once while their tasks await`() async throws {
        let session = try await begin()
        async let late = text(session, "naps 600")
        async let soon = text(session, "naps 5")
        let first = Heard<String>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { first.add(try await self.text(session, "naps 1500") ?? "") }
            group.addTask { first.add(try await self.text(session, "naps 1") ?? "") }
            try await group.waitForAll()
        }
        #expect(first.all == ["1", "1500"])
        #expect(try await late == "600")
        #expect(try await soon == "5")
        #expect(await session.complete().reason == .completed)
    }

    @Test func `L3: an extension whose task awaits answers the watchdog`() async throws {
        let session = try await begin { $0.watchdog = .milliseconds(700) }
        #expect(try await text(session, "naps 3000") == "3000")
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
    }

    @Test func `cancelling the host task cancels the task of the extension`() async throws {
        let (remarks, remark) = AsyncStream.makeStream(of: String.self)
        var service = HostService()
        service.handle(Remark.self) { remark.yield($0.text) }
        let session = try await begin(serving: service)
        let waiting = Task { try await text(session, "waits long") }
        // The second request shows that the first one has begun.
        #expect(try await text(session, "echoes a") == "a")
        waiting.cancel()
        let error = await #expect(throws: HostError.self) { try await waiting.value }
        guard case .taskCancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        var heard = remarks.makeAsyncIterator()
        #expect(await heard.next() == "cancelled true")
        #expect(try await text(session, "echoes b") == "b")
        #expect(await session.complete().reason == .completed)
    }

    @Test func `an error of a task reaches the host as it is`() async throws {
        let session = try await begin()
        let error = await #expect(throws: HostError.self) { try await text(session, "throws reason") }
        guard case .cancelled(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason == ExtensionError(code: 5, domain: "com.example", localizedDescription: "reason"))
        #expect(await session.complete().reason == .completed)
    }

    // MARK: Dialogues

    @Test func `a principal that stays answers requests later and in any order`() async throws {
        let app = try SubstituteApp(running: "stays-in-touch")
        let session = try await AnnexHost.patient(with: app).begin(SubstituteApp.identifier)
        let first = Task { try await text(session, "a") }
        let second = Task { try await text(session, "b") }
        while try await session.call(Word("?"), timeout: .patience) != Word("a b") { await Task.yield() }
        #expect(try await session.call(Word("b"), timeout: .patience) == Word("b"))
        #expect(try await second.value == "B")
        #expect(try await session.call(Word("a"), timeout: .patience) == Word("a"))
        #expect(try await first.value == "A")
        let error = await #expect(throws: HostError.self) { try await text(session, "forgotten") }
        guard case .cancelled(.returnedWithoutAnswer)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(await session.complete().reason == .completed)
    }

    @Test func `an extension makes a call of its point to the host`() async throws {
        let app = try SubstituteApp(running: "stays-in-touch")
        var service = HostService()
        service.serve(Caption.self) { _ in Word("a caption") }
        let session = try await AnnexHost.patient(with: app).begin(SubstituteApp.identifier, serving: service)
        #expect(try await text(session, "caption") == "a caption")
        #expect(await session.complete().reason == .completed)
    }
}

/// What handlers received, in order.
private final class Heard<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}
