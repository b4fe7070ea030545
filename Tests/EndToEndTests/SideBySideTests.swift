import AnnexEmbedded
import AnnexHost
import AnnexModel
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

/// Attachments that an extension in its sandbox loads in tasks. The loaders of this host end only when a test lets them
/// end.
@Suite(.timeLimit(.minutes(20))) struct SideBySideTests {
    private let app: SubstituteApp
    private let host: AnnexHost
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        app = try SubstituteApp(running: "loads-in-tasks")
        host = try AnnexHost.embedded(apps: [app.path], patience: .patience)
    }

    private func answer(_ conduct: String, _ contents: [ItemContents]) async throws -> String? {
        let session = try await host.begin(SubstituteApp.identifier)
        let text = try await session.request([item(conduct, contents)]).first?.contentText
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
        return text
    }

    private func item(_ conduct: String, _ contents: [ItemContents]) -> ExtensionItem {
        ExtensionItem(
            attributedContentText: AttributedText(conduct),
            attachments: contents.map { ItemProvider(contents: $0, types: [.utf8PlainText]) })
    }

    /// Contents of a loader that waits. They are a file whose path no other test has, so that leaks can be counted.
    private func file(
        _ place: Int, _ desk: LoaderDesk, ignoresCancel: Bool = false, until isReady: @escaping Ready
    ) throws -> ItemContents {
        let path = folder.url.appending(path: "\(place)").path
        try Data(repeating: 65 + UInt8(place), count: 70_000).write(to: URL(filePath: path))
        return desk.contents(place, ignoresCancel: ignoresCancel, until: isReady) { try ItemContents(path: path) }
    }

    private func text(of places: Range<Int>) -> String {
        places.map { String(repeating: Character(UnicodeScalar(65 + UInt8($0))), count: 70_000) }
            .joined(separator: ",")
    }

    @Test func `nine loads have all begun before one of them ends`() async throws {
        let desk = LoaderDesk()
        let nine = try (0..<9).map { try file($0, desk) { $0.begun.count == 9 } }
        #expect(try await answer("loads all", nine) == text(of: 0..<9))
        #expect(desk.now.most == 9)
        try await OpenDescriptors.untilNone(naming: folder.url.path)
    }

    @Test func `loads that end in the opposite order get their own contents`() async throws {
        let desk = LoaderDesk()
        let nine = try (0..<9).map { place in
            try file(place, desk) { $0.begun.count == 9 && $0.ended.count == 8 - place }
        }
        #expect(try await answer("loads all", nine) == text(of: 0..<9))
        #expect(desk.now.ended == Array((0..<9).reversed()))
    }

    @Test(arguments: [17, 100]) func `a host runs sixteen loads at once and the others in turn`(
        _ count: Int
    ) async throws {
        let desk = LoaderDesk()
        let all = (0..<count).map { place in
            desk.contents(place, until: { $0.begun.count >= 16 }) { try ItemContents(bytes: Array("\(place)".utf8)) }
        }
        #expect(try await answer("loads all", all) == (0..<count).map(String.init).joined(separator: ","))
        #expect(desk.now.most == 16 && desk.now.begun.count == count)
    }

    @Test func `a load of a task has progress and is cancelled by its closure`() async throws {
        let desk = LoaderDesk()
        let quick = ItemContents.onDemand { load in
            for step in 1...4 {
                load.report(progress: Double(step) / 8)
                try await Task.sleep(for: .milliseconds(150))
            }
            return try ItemContents(bytes: Array("done".utf8))
        }
        let text = try await answer("watches", [quick])
        #expect(text?.hasPrefix("loaded done [") == true && text?.contains("0.25") == true, "\(text ?? "")")
        let endless = desk.contents(0, progress: 0.95, until: { _ in false }) { try ItemContents(bytes: [1]) }
        #expect(try await answer("watches", [endless])?.hasPrefix("the load was cancelled [") == true)
        await eventually { desk.now.cancelled == [0] }
    }

    @Test func `a load of a task ends by the time limit of its reader and so does the loader`() async throws {
        let desk = LoaderDesk()
        let endless = desk.contents(0, until: { _ in false }) { try ItemContents(bytes: [1]) }
        #expect(try await answer("hurries", [endless]) == "the item did not come within the time limit")
        await eventually { desk.now.cancelled == [0] }
    }

    /// The loaders that were given up ignore that at first, so the last of seventeen loads waits for its turn.
    @Test(arguments: [9, 16]) func `loads that are given up cancel their loaders and leave nothing open`(
        _ count: Int
    ) async throws {
        let desk = LoaderDesk()
        var all = try (0..<count).map { try file($0, desk, ignoresCancel: true) { $0.cancelled.count == count } }
        all.append(desk.contents(count, until: { _ in true }) { try ItemContents(bytes: Array("last".utf8)) })
        #expect(try await answer("gives up", all) == "\(count) cancelled, last, 0 leaked")
        await eventually { desk.now.running == 0 }
        #expect(desk.now.cancelled.count == count && desk.now.most <= 16)
        try await OpenDescriptors.untilNone(naming: folder.url.path)
    }

    @Test func `a load that waits for its turn for too long never runs`() async throws {
        let desk = LoaderDesk()
        var all = try (0..<16).map { try file($0, desk, ignoresCancel: true) { $0.mayEnd } }
        let late = desk.contents(16, timeout: .milliseconds(300), until: { _ in true }) { try ItemContents(bytes: [1]) }
        all.append(late)
        let error = await #expect(throws: HostError.self) { try await answer("gives up", all) }
        guard case .cancelled(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.localizedDescription == "the item did not come within the time limit")
        desk.letEnd()
        await eventually { desk.now.running == 0 }
        #expect(!desk.now.begun.contains(16))
        try await OpenDescriptors.untilNone(naming: folder.url.path)
    }

    @Test func `two loads of one attachment run its loader once, and one may be given up`() async throws {
        let desk = LoaderDesk()
        // The extension loads the second attachment after it has given up one load of the first.
        let one = desk.contents(0, until: { $0.begun.contains(1) }) { try ItemContents(bytes: [1, 2, 3]) }
        let other = desk.contents(1, until: { _ in true }) { try ItemContents(bytes: [1]) }
        let text = try await answer("gives up one of two", [one, other])
        #expect(text?.contains("ancelled") == true && text?.hasSuffix(" 3") == true, "\(text ?? "")")
        #expect(desk.now.begun == [0, 1] && desk.now.cancelled.isEmpty)
    }

    @Test func `a load that blocks is answered while tasks load`() async throws {
        let desk = LoaderDesk()
        var all = try (0..<15).map { try file($0, desk) { $0.ended.contains(15) } }
        all.append(desk.contents(15, until: { _ in true }) { try ItemContents(bytes: Array("last".utf8)) })
        #expect(try await answer("blocks meanwhile", all) == "last, 0 failed")
        #expect(desk.now.ended.first == 15)
    }

    @Test func `pieces of contents on demand are read in a task`() async throws {
        let desk = LoaderDesk()
        let one = desk.contents(0, until: { _ in true }) { try ItemContents(bytes: [UInt8](repeating: 1, count: 25)) }
        #expect(try await answer("reads pieces", [one]) == "[10, 10, 5]")
    }

    @Test func `a load after the answer is refused or cancelled`() async throws {
        let desk = LoaderDesk()
        let one = try file(0, desk) { _ in false }
        #expect(try await answer("loads late", [one]) == "early")
        await eventually { desk.now.running == 0 }
        #expect(desk.now.ended.isEmpty)
    }

    @Test func `the end of the extension cancels its loaders and closes what they made`() async throws {
        let desk = LoaderDesk()
        let nine = try (0..<9).map { try file($0, desk) { _ in false } }
        let error = await #expect(throws: HostError.self) {
            let session = try await host.begin(SubstituteApp.identifier)
            _ = try await session.request([item("crashes meanwhile", nine)])
        }
        guard case .ended(let end)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(end.reason == .crashed, "\(end)")
        await eventually { desk.now.cancelled.count == 9 }
        try await OpenDescriptors.untilNone(naming: folder.url.path)
    }
}

extension SideBySideTests {
    private func compose(_ contents: [ItemContents]) async throws -> ComposeSession {
        let app = try SubstituteApp(running: "composes-as-it-loads")
        return try await AnnexHost.patient(with: app).compose(
            [item("", contents)], with: SubstituteApp.identifier, text: "Hello")
    }

    @Test func `a sheet is checked while its nine attachments load`() async throws {
        let desk = LoaderDesk()
        let nine = try (0..<9).map { try file($0, desk) { $0.mayEnd } }
        let dialogue = try await compose(nine)
        try await dialogue.presentationAnimationDidFinish()
        await eventually { desk.now.begun.count == 9 }
        for count in [3, 11, 7] {
            let state = try await dialogue.edit(String(repeating: "x", count: count))
            #expect(state.charactersRemaining == 10 - count && state.isContentValid == (count <= 10))
        }
        #expect(desk.now.ended.isEmpty && dialogue.state.configurationItems.first?.value == "0")
        desk.letEnd()
        for await state in dialogue.changes where state.configurationItems.first?.value == "9" { break }
        #expect(try await dialogue.post().first?.contentText == "630000")
        try await OpenDescriptors.untilNone(naming: folder.url.path)
    }

    @Test func `a sheet that is cancelled while nine attachments load cancels the loaders`() async throws {
        let desk = LoaderDesk()
        // Four loads have ended, five are in progress.
        let nine = try (0..<9).map { place in try file(place, desk) { $0.begun.count == 9 && place < 4 } }
        let dialogue = try await compose(nine)
        try await dialogue.presentationAnimationDidFinish()
        for await state in dialogue.changes where state.configurationItems.first?.value == "4" { break }
        let end = await dialogue.cancel()
        #expect(end.reason == .cancelled, "\(end)")
        await eventually { desk.now.cancelled.count == 5 }
        #expect(desk.now.ended.sorted() == [0, 1, 2, 3])
        try await OpenDescriptors.untilNone(naming: folder.url.path)
    }
}

/// Whether a loader may end.
private typealias Ready = @Sendable (LoaderDesk.Facts) -> Bool

/// Makes contents of loaders, and notes what the loaders do.
private final class LoaderDesk: Sendable {
    struct Facts {
        /// The loaders in the order in which they began, ended, and were cancelled.
        var begun: [Int] = []
        var ended: [Int] = []
        var cancelled: [Int] = []
        var running = 0
        /// The most loaders that ran at once.
        var most = 0
        var mayEnd = false
    }

    private let facts = Mutex(Facts())

    var now: Facts { facts.withLock { $0 } }

    func letEnd() { facts.withLock { $0.mayEnd = true } }

    func contents(
        _ place: Int, progress: Double = 0.5, timeout: Duration = .patience, ignoresCancel: Bool = false,
        until isReady: @escaping Ready, _ make: @escaping @Sendable () throws -> ItemContents
    ) -> ItemContents {
        .onDemand(timeout: timeout) { [self] load in
            facts.withLock { facts in
                facts.begun.append(place)
                facts.running += 1
                facts.most = max(facts.most, facts.running)
            }
            load.report(progress: progress)
            defer { facts.withLock { $0.running -= 1 } }
            try await wait(place, ignoresCancel: ignoresCancel, until: isReady)
            facts.withLock { $0.ended.append(place) }
            return try make()
        }
    }

    private func wait(_ place: Int, ignoresCancel: Bool, until isReady: Ready) async throws {
        while !facts.withLock({ isReady($0) }) {
            if Task.isCancelled {
                facts.withLock { if !$0.cancelled.contains(place) { $0.cancelled.append(place) } }
                guard ignoresCancel else { throw CancellationError() }
            }
            // A cancelled task cannot sleep, so a detached one sleeps.
            await Task.detached { try? await Task.sleep(for: .milliseconds(2)) }.value
        }
    }
}
