import AnnexChannel
import AnnexEmbedded
import AnnexHost
import AnnexModel
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

/// Attachments that an extension in its sandbox loads on demand.
@Suite(.timeLimit(.minutes(20))) struct ItemLoadingTests {
    private let app: SubstituteApp
    private let host: AnnexHost
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        app = try SubstituteApp(running: "loads-items")
        host = try AnnexHost.embedded(apps: [app.path], patience: .patience)
    }

    private func file(_ name: String, holding text: String) throws -> String {
        let place = folder.url.appending(path: name)
        try Data(text.utf8).write(to: place)
        return place.path
    }

    /// The answer to one request in a separate session.
    private func answer(
        _ conduct: String, with attachments: [ItemProvider], accepting: Acceptance = .nothing
    ) async throws -> [ExtensionItem] {
        let session = try await host.begin(SubstituteApp.identifier)
        let item = ExtensionItem(attributedContentText: AttributedText(conduct), attachments: attachments)
        let items = try await session.request([item], accepting: accepting)
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
        return items
    }

    private func text(_ conduct: String, of contents: ItemContents) async throws -> String? {
        try await answer(conduct, with: [ItemProvider(contents: contents, types: [.data])]).first?.contentText
    }

    @Test func `1,000 files offered and three loaded: three opened`() async throws {
        var offers: [ItemProvider] = []
        for number in 0..<1000 {
            let contents = try ItemContents.onDemand(path: try file("\(number)", holding: "text \(number)"))
            offers.append(ItemProvider(contents: contents, types: [.utf8PlainText], suggestedName: "\(number).txt"))
        }
        let opens = try OpenCount(of: folder.url.path)
        let answer = try await answer("loads 3 500 999", with: offers)
        #expect(answer.first?.contentText == "text 3,text 500,text 999")
        #expect(opens.count() == 3)
    }

    @Test func `loads that the host has offered spend no message budget`() async throws {
        let source = try ItemContents.onDemand(path: try file("one", holding: "x")).source
        let offers = (0..<200).map { _ in ItemProvider(contents: ItemContents(source), types: [.utf8PlainText]) }
        let places = (0..<200).map(String.init).joined(separator: " ")
        let session = try await host.begin(SubstituteApp.identifier) { $0.framesPerSecond = 20 }
        let item = ExtensionItem(attributedContentText: AttributedText("loads \(places)"), attachments: offers)
        #expect(try await session.request([item]).first?.contentText?.utf8.count == 399)
        #expect(await session.complete().reason == .completed)
    }

    @Test func `the first representation that conforms is loaded and no other is opened`() async throws {
        let loads = Counter()
        let picture = ItemContents.onDemand { _ in
            loads.add()
            return try ItemContents(bytes: [1])
        }
        let words = ItemContents.onDemand { _ in try ItemContents(bytes: Array("words".utf8)) }
        let provider = ItemProvider(
            ItemRepresentation(picture, types: [.png]), alternatives: ItemRepresentation(words, types: [.utf8PlainText])
        )
        let answer = try await answer("forms", with: [provider], accepting: .sealedMemory(count: 4, bytes: 1 << 20))
        let back = try #require(answer.first?.attachments.first)
        #expect(back.registeredTypeIdentifiers == [.html, .utf8PlainText] && back.suggestedName == "answer")
        // A plain text is the best form of a string.
        #expect(try await back.loadObject(ofType: String.self) == "words")
        #expect(try await back.loadData(forType: .text) == Array("<b>words</b>".utf8))
        #expect(loads.value == 0)
    }

    @Test func `a loader reports progress and delivers large contents`() async throws {
        let contents = ItemContents.onDemand { load in
            for step in 1...4 {
                load.report(progress: Double(step) / 8)
                try await Task.sleep(for: .milliseconds(150))
            }
            return try ItemContents(bytes: Array("done".utf8))
        }
        let text = try await text("watches", of: contents)
        #expect(text?.hasPrefix("loaded done [") == true && text?.contains("0.25") == true, "\(text ?? "")")
    }

    @Test func `a load that the extension gives up cancels the loader`() async throws {
        let isCancelled = Counter()
        let contents = ItemContents.onDemand { load in
            load.report(progress: 0.95)
            while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            isCancelled.add()
            throw CancellationError()
        }
        let text = try await text("watches", of: contents) ?? ""
        #expect(text.hasPrefix("the load was cancelled [") && text.hasSuffix("0.95]"), "\(text)")
        await eventually { isCancelled.value > 0 }
    }

    @Test func `a loader that never answers ends by its own time limit or that of the reader`() async throws {
        let never = ItemContents.onDemand(timeout: .milliseconds(300)) { _ in
            while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
            throw CancellationError()
        }
        #expect(try await text("watches", of: never)?.hasPrefix("the item did not come within the time limit") == true)
        let slow = ItemContents.onDemand { _ in
            try await Task.sleep(for: .seconds(3600))
            throw CancellationError()
        }
        #expect(try await text("hurries", of: slow) == "the item did not come within the time limit")
    }

    @Test func `the reason of a loader that fails reaches the extension escaped`() async throws {
        struct Lost: Error, CustomStringConvertible {
            let description = "the negative is lost\u{1B}[2J"
        }
        let text = try await text("watches", of: ItemContents.onDemand { _ in throw Lost() })
        #expect(
            text?.hasPrefix("the item could not be loaded: the negative is lost\\u{1b}[2J") == true, "\(text ?? "")")
    }

    @Test func `a file that vanished before it is loaded is an error with its reason`() async throws {
        let path = try file("gone", holding: "text")
        let contents = try ItemContents.onDemand(path: path)
        unlink(path)
        let text = try await text("watches", of: contents)
        #expect(text?.contains("ENOENT") == true, "\(text ?? "")")
        #expect(throws: ItemFailure.self) { _ = try ItemContents.onDemand(path: path) }
    }

    @Test func `the next load after the request fails as withdrawn`() async throws {
        let session = try await host.begin(SubstituteApp.identifier)
        let contents = try ItemContents.onDemand(path: try file("a", holding: "text"))
        let provider = ItemProvider(contents: contents, types: [.utf8PlainText])
        let item = ExtensionItem(attributedContentText: "keeps", attachments: [provider])
        #expect(try await session.request([item]).first?.contentText == "kept")
        let second = try await session.request([item]).first?.contentText
        #expect(second == "the item is not offered any more: load it before the request is answered")
        _ = await session.complete()
    }

    @Test func `a large file is read in pieces`() async throws {
        let place = folder.url.appending(path: "large")
        try Data(count: (1 << 20) + 7).write(to: place)
        let text = try await text("sums", of: try ItemContents.onDemand(path: place.path))
        #expect(text == "\((1 << 20) + 7) 0 5")
    }

    @Test func `a list of items that is longer than a message travels both ways`() async throws {
        let long = String(repeating: "y", count: 100)
        let session = try await host.begin(SubstituteApp.identifier)
        var items = (0..<20_000).map { ExtensionItem(contentText: "\($0) \(long)") }
        items[0].attributedContentText = "counts"
        #expect(try await session.request(items).first?.contentText == "20000 0")
        let back = try await session.request(
            [ExtensionItem(contentText: "multiplies 20000")], accepting: .sealedMemory(count: 1, bytes: 16 << 20))
        #expect(back.count == 20_000 && back.last?.contentText?.hasPrefix("item 19999 ") == true)
        _ = await session.complete()
    }

    @Test func `one item that is longer than a message is an invalid request`() async throws {
        let session = try await host.begin(SubstituteApp.identifier)
        let error = await #expect(throws: HostError.self) {
            try await session.request([ExtensionItem(contentText: String(repeating: "x", count: 2 << 20))])
        }
        guard case .invalidRequest(let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("each item fits into a message"))
        _ = await session.cancel()
    }
}

/// Extensions that request items that they were not offered.
@Suite(.timeLimit(.minutes(20))) struct ItemDemandTests {
    private let app: SubstituteApp
    private let host: AnnexHost

    init() throws {
        app = try SubstituteApp(running: "demands-items")
        host = try AnnexHost.embedded(apps: [app.path], patience: .patience)
    }

    private func outcome(of conduct: String) async throws -> String? {
        // A busy machine may not be able to make a thousand calls within a second.
        let session = try await host.begin(SubstituteApp.identifier) { $0.framesPerSecond = 50 }
        let contents = ItemContents.onDemand { _ in try ItemContents(bytes: [1, 2, 3]) }
        let item = ExtensionItem(
            attributedContentText: AttributedText(conduct),
            attachments: [ItemProvider(contents: contents, types: [.data])])
        let answer = try await session.request([item])
        _ = await session.complete()
        return answer.first?.contentText
    }

    @Test(arguments: ["guesses", "guesses zero", "babbles", "floods"])
    func `an extension that asks for what it was never offered, or without end, is ended`(
        _ conduct: String
    ) async throws {
        let error = await #expect(throws: HostError.self) { try await outcome(of: conduct) }
        guard case .ended(let end)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let expected: Termination.Reason = conduct == "floods" ? .messageBudget : .protocolViolation
        #expect(end.reason == expected, "\(end)")
    }

    @Test func `a number that was offered may be loaded again, and an unknown method is an error`() async throws {
        let repeated = try await outcome(of: "repeats")
        #expect(repeated == "0", "\(repeated ?? "")")
        #expect(try await outcome(of: "misuses")?.contains("unknown method") == true)
    }
}

/// Counts how often files of a folder are opened, by any process.
private final class OpenCount {
    private let queue: CInt

    init(of folder: String) throws {
        queue = inotify_init1(Int32(IN_NONBLOCK))
        try #require(queue >= 0 && inotify_add_watch(queue, folder, UInt32(IN_OPEN)) >= 0)
    }

    deinit {
        close(queue)
    }

    func count() -> Int {
        var events = 0
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let read = Glibc.read(queue, &bytes, bytes.count)
            guard read > 0 else { return events }
            var place = 0
            while place < read {
                events += 1
                place += 16 + Int(bytes[place + 12]) + Int(bytes[place + 13]) << 8
            }
        }
    }
}

/// Counts calls of loaders.
private final class Counter: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .acquiring) }

    func add() { number.add(1, ordering: .acquiringAndReleasing) }
}
