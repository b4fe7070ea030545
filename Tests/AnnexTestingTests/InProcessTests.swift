import AnnexChannel
import AnnexExtension
import AnnexHost
import AnnexTestSupport
import AnnexTesting
import Dispatch
import Synchronization
import Testing

/// Principal objects in the test's own process.
@Suite(.timeLimit(.minutes(20))) struct InProcessTests {
    @Test func `a principal object answers in the process of its test`() async throws {
        let session = try await AnnexHost.testing(inProcess: Counts.self).begin("counts")
        let before = Counts.requests.load(ordering: .relaxed)
        let answer = try await session.request([ExtensionItem(contentText: "hello")])
        #expect(answer.first?.contentText == "5")
        #expect(Counts.requests.load(ordering: .relaxed) > before)
        #expect(await session.complete().reason == .completed)
    }

    @Test func `each session has a principal object of its own`() async throws {
        let host = AnnexHost.testing(inProcess: Stays.self)
        let (one, other) = (try await host.begin("one"), try await host.begin("other"))
        for expected in ["1", "2"] {
            #expect(try await one.request([ExtensionItem()]).first?.contentText == expected)
        }
        #expect(try await other.request([ExtensionItem()]).first?.contentText == "1")
        #expect(await one.complete().reason == .completed)
        #expect(await other.cancel().reason == .cancelled)
    }

    @Test func `an attachment is loaded on demand, and an error is the error of the host`() async throws {
        let host = AnnexHost.testing(inProcess: Measures.self)
        let session = try await host.begin("measures")
        let picture = ItemProvider(contents: try ItemContents(bytes: [1, 2, 3]), types: [.png])
        let answer = try await session.request([ExtensionItem(attachments: [picture])])
        #expect(answer.first?.contentText == "3")
        let error = await #expect(throws: HostError.self) { try await session.request([ExtensionItem()]) }
        guard case .cancelled(let error)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error.domain == "com.example.measures")
        _ = await session.complete()
    }

    @Test func `a compose sheet is filled in`() async throws {
        let dialogue = try await AnnexHost.testing(inProcess: Posts.self).compose([], with: "posts", text: "Hi")
        #expect(dialogue.state.charactersRemaining == 8)
        #expect(try await dialogue.edit("Hello").charactersRemaining == 5)
        #expect(try await dialogue.post().first?.contentText == "Hello")
    }

    @Test func `a session that nothing holds any more ends its extension`() async throws {
        let host = AnnexHost.testing(inProcess: Lives.self)
        var ends = host.ends.makeAsyncIterator()
        for _ in 0..<100 { _ = try await host.begin("lives") }
        for _ in 0..<100 { #expect(await ends.next()?.termination.reason == .cancelled) }
        await eventually { Lives.alive.load(ordering: .acquiring) == 0 }
    }

    @Test func `a task that another thread resumes goes on`() async throws {
        let session = try await AnnexHost.testing(inProcess: Awaits.self).begin("awaits")
        for round in 0..<200 {
            let answer = try await session.request([ExtensionItem(contentText: "\(round)")])
            #expect(answer.first?.contentText == "\(round) main")
        }
        #expect(await session.complete().reason == .completed)
    }

    @Test func `an extension ends although its channel is full of notices`() async throws {
        let session = try await AnnexHost.testing(inProcess: Sleeps.self).begin("sleeps")
        async let answer = session.request([ExtensionItem()])
        await Task.detached { Sleeps.sleeps.wait() }.value
        // The extension reads nothing until it is told to read, so the channel becomes full.
        while (try? await session.send(Filler(), timeout: .zero)) != nil {}
        let end = Task { await session.complete() }
        Sleeps.mayGoOn.signal()
        _ = try? await answer
        #expect(await end.value.reason == .completed)
    }

    @Test func `a host of such an extension has no apps`() {
        let host = AnnexHost.testing(inProcess: Counts.self)
        #expect(host.extensionsAndWait(for: "com.apple.share-services").isEmpty)
        #expect(throws: BrokerError.self) { try host.installAndWait(app: "Shout.app") }
    }
}

private final class Counts: AppExtension {
    static let requests = Atomic(0)

    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        Self.requests.add(1, ordering: .relaxed)
        return [ExtensionItem(contentText: "\(items.first?.contentText?.count ?? 0)")]
    }
}

/// Counts its principal objects. They live as long as the session holds them.
private final class Lives: SessionExtension {
    static let alive = Atomic(0)

    init() { Self.alive.add(1, ordering: .acquiringAndReleasing) }

    deinit { Self.alive.subtract(1, ordering: .acquiringAndReleasing) }
}

/// Awaits tasks that run on other threads.
private final class Awaits: AppExtension {
    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        let text = items.first?.contentText ?? ""
        let word = await Task.detached { await MainActor.run { "main" } }.value
        return [ExtensionItem(contentText: "\(text) \(word)")]
    }
}

/// Occupies its thread for a while and reads nothing.
private final class Sleeps: AppExtension {
    static let sleeps = DispatchSemaphore(value: 0)
    static let mayGoOn = DispatchSemaphore(value: 0)

    func beginRequest(with context: ExtensionContext) {
        Self.sleeps.signal()
        Self.mayGoOn.wait()
        context.completeRequest(returning: [])
    }
}

private struct Filler: ChannelNotice {
    static let method: UInt16 = 7
    init() {}
    init(from decoder: inout MessageDecoder) {}
    func encode(into encoder: inout MessageEncoder) { encoder.encode([UInt8](repeating: 1, count: 4_096), as: 1) }
}

private final class Stays: SessionExtension {
    private var requests = 0

    func beginRequest(with context: ExtensionContext) {
        requests += 1
        context.completeRequest(returning: [ExtensionItem(contentText: "\(requests)")])
    }
}

private final class Measures: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        context.completeRequest {
            guard let picture = context.inputItems.first?.attachments.first else {
                throw ExtensionError(code: 1, domain: "com.example.measures", localizedDescription: "no picture")
            }
            return [ExtensionItem(contentText: "\(try picture.loadData(forType: .png).count)")]
        }
    }
}

private final class Posts: ShareExtension {
    func isContentValid(in sheet: ComposeSheet) -> Bool {
        sheet.charactersRemaining = 10 - sheet.contentText.count
        return sheet.contentText.count <= 10
    }

    func didSelectPost(in sheet: ComposeSheet) {
        sheet.context.completeRequest(returning: [ExtensionItem(contentText: sheet.contentText)])
    }
}
