import AnnexBroker
import AnnexHost
import AnnexModel
import AnnexPolicy
import AnnexTestSupport
import Testing

/// The dialogue of a host with a photo-editing extension.
@Suite(.timeLimit(.minutes(20))) struct PhotoEditingTests {
    private func picture(_ bytes: [UInt8] = [1, 2, 3], conduct: String = "") throws -> EditablePicture {
        var picture = EditablePicture(try Self.provider(bytes))
        picture.userInfo["conduct"] = .string(conduct)
        return picture
    }

    private static func provider(_ bytes: [UInt8]) throws -> ItemProvider {
        ItemProvider(contents: try ItemContents(bytes: bytes), types: [.png])
    }

    private func edit(
        _ picture: EditablePicture, running program: String = "edits",
        _ adjust: @escaping @Sendable (inout PolicyLimits) -> Void = { _ in }
    ) async throws -> PhotoEditingSession {
        let app = try SubstituteApp(running: program)
        return try await AnnexHost.patient(with: app, adjust).edit(picture, with: SubstituteApp.identifier, as: nil)
    }

    private func text(_ view: ContentTree?) -> String {
        guard case .list(let nodes)? = view?.root, case .text(let text, _)? = nodes.first else { return "" }
        return text
    }

    private let turn = ContentAction(identifier: "turn")

    @Test func `a picture is edited in a view, and the edit comes back with its adjustment data`() async throws {
        let editing = try await edit(picture())
        #expect(editing.isInteractive && !editing.continuesEdit)
        #expect(text(editing.view) == "earlier none, placeholder none, turns 0")
        #expect(text(try await editing.perform(turn)).hasSuffix("turns 1"))
        let output = try await editing.finish()
        #expect(try output.renderedContent.load() == [3, 2, 1])
        #expect(output.type == .png)
        #expect(
            output.adjustmentData
                == AdjustmentData(formatIdentifier: "com.example.edits", formatVersion: "1", data: Array("1".utf8)))
        #expect(editing.isAnswered && editing.session.termination?.reason == .completed)
    }

    @Test func `an edit that the extension can handle continues with the original`() async throws {
        for (format, continues) in [("com.example.edits", true), ("com.example.other", false)] {
            var picture = try picture([3, 2, 1])
            picture.original = try Self.provider([1, 2])
            picture.adjustmentData = AdjustmentData(formatIdentifier: format, formatVersion: "1", data: Array("7".utf8))
            let editing = try await edit(picture)
            #expect(editing.continuesEdit == continues)
            #expect(text(editing.view).hasPrefix("earlier \(continues ? "7" : "none"),"))
            #expect(try await editing.finish().renderedContent.load() == (continues ? [1, 2] : [3, 2, 1]))
        }
    }

    @Test func `adjustment data without the original is not passed on`() async throws {
        var picture = try picture()
        picture.adjustmentData = AdjustmentData(
            formatIdentifier: "com.example.edits", formatVersion: "1", data: Array("7".utf8))
        let editing = try await edit(picture)
        #expect(!editing.continuesEdit && text(editing.view).hasPrefix("earlier none"))
        await editing.cancel()
    }

    @Test func `a placeholder reaches the extension`() async throws {
        var picture = try picture()
        picture.placeholder = try Self.provider([9, 9, 9, 9])
        let editing = try await edit(picture)
        #expect(text(editing.view) == "earlier none, placeholder 4, turns 0")
        await editing.cancel()
    }

    @Test func `the extension decides whether a cancel needs to be confirmed`() async throws {
        let editing = try await edit(picture())
        #expect(try await !editing.shouldShowCancelConfirmation())
        try await editing.perform(turn)
        #expect(try await editing.shouldShowCancelConfirmation())
        #expect(await editing.cancel().reason == .cancelled)
        await #expect(throws: HostError.self) { try await editing.finish() }
    }

    @Test func `an extension that lingers in its cancel is ended`() async throws {
        let editing = try await edit(picture(conduct: "linger"))
        #expect(await editing.cancel().reason == .cancelled)
    }

    @Test func `an extension needs no view`() async throws {
        let editing = try await edit(picture(conduct: "no view"))
        #expect(editing.view == nil && editing.isInteractive)
        #expect(try await editing.finish().renderedContent.load() == [1, 2, 3])
    }

    @Test func `an extension without a dialogue gets the picture with all edits`() async throws {
        var picture = try picture()
        picture.original = try Self.provider([9])
        picture.adjustmentData = AdjustmentData(formatIdentifier: "a", formatVersion: "1", data: [])
        let item = picture.item(continues: false)
        #expect(try item.attachments.map { try $0.loadData(forType: .png) } == [[1, 2, 3]])
        #expect(item.userInfo[AdjustmentData.userInfoKey] == nil)
        let editing = try await edit(picture, running: "serves-everything")
        #expect(!editing.isInteractive && !editing.continuesEdit && editing.view == nil)
        #expect(try await editing.perform(turn) == nil)
        #expect(try await !editing.shouldShowCancelConfirmation())
        await #expect(throws: HostError.self) { try await editing.finish() }
        #expect(editing.session.termination != nil)
    }

    @Test func `a request without a dialogue is edited at once`() async throws {
        let app = try SubstituteApp(running: "edits")
        let session = try await AnnexHost.patient(with: app).begin(SubstituteApp.identifier)
        let answer = try await session.request(
            [ExtensionItem(attachments: [Self.provider([1, 2])])], accepting: .sealedMemory(count: 1, bytes: 1_000))
        #expect(try await answer.first?.attachments.first?.loadData(forType: .png) == [1, 2])
        _ = await session.complete()
    }

    @Test(arguments: [("", [UInt8](), "empty"), ("too large", [1], "view: has more than")])
    func `a start that fails is an error of the start`(_ conduct: String, _ bytes: [UInt8], _ word: String) async throws
    {
        let error = await #expect(throws: HostError.self) { try await edit(picture(bytes, conduct: conduct)) }
        guard case .cancelled(let error)? = error else { return record(error) }
        #expect(error.localizedDescription.contains(word), "\(error)")
    }

    @Test func `an edit that fails at its end is an error of the finish`() async throws {
        let editing = try await edit(picture(conduct: "fail at the end"))
        let error = await #expect(throws: HostError.self) { try await editing.finish() }
        guard case .cancelled(let error)? = error else { return record(error) }
        #expect(error.code == 6 && error.domain == "com.example")
    }

    @Test(arguments: ["hang at the start", "hang at the end", "hang"])
    func `an editor that hangs is ended by the watchdog`(_ conduct: String) async throws {
        let error = await #expect(throws: HostError.self) {
            let editing = try await edit(picture(conduct: conduct)) { $0.watchdog = .milliseconds(700) }
            if conduct == "hang" { try await editing.perform(ContentAction(identifier: "hang")) }
            _ = try await editing.finish()
        }
        guard case .ended(let end)? = error else { return record(error) }
        #expect(end.reason == .unresponsive, "\(end)")
    }

    @Test func `an editor that hangs over the adjustment data is ended by the watchdog`() async throws {
        var picture = try picture()
        picture.original = picture.picture
        picture.adjustmentData = AdjustmentData(formatIdentifier: "a", formatVersion: "hang", data: [])
        let error = await #expect(throws: HostError.self) {
            try await edit(picture) { $0.watchdog = .milliseconds(700) }
        }
        guard case .ended(let end)? = error else { return record(error) }
        #expect(end.reason == .unresponsive, "\(end)")
    }

    @Test func `an editor that crashes has a signal as the reason`() async throws {
        let editing = try await edit(picture())
        let error = await #expect(throws: HostError.self) {
            try await editing.perform(ContentAction(identifier: "crash"))
        }
        guard case .ended(let end)? = error else { return record(error) }
        #expect(end.reason == .crashed, "\(end)")
    }

    @Test func `the time that the user takes counts against no limit`() async throws {
        let editing = try await edit(picture()) { $0.request = .seconds(5) }
        try await Task.sleep(for: .seconds(6))
        try await editing.perform(turn)
        #expect(try await editing.finish().renderedContent.load() == [3, 2, 1])
    }

    private func misedit(_ conduct: String, _ request: Duration? = nil) async throws -> PhotoEditingSession {
        var picture = try picture()
        picture.original = picture.picture
        picture.adjustmentData = AdjustmentData(formatIdentifier: "a", formatVersion: conduct, data: [])
        return try await edit(picture, running: "misedits") { if let request { $0.request = request } }
    }

    @Test func `an answer without a picture is an error that says so`() async throws {
        for conduct in ["no picture", "early"] {
            let error = await #expect(throws: HostError.self) { try await misedit(conduct).finish() }
            guard case .cancelled(.noEditedPicture)? = error else { return record(error) }
        }
    }

    @Test func `an extension that says it has answered, and has not, is ended by the time limit`() async throws {
        let error = await #expect(throws: HostError.self) { try await misedit("closed", .seconds(1)) }
        guard case .ended(let end)? = error else { return record(error) }
        #expect(end.reason == .timeLimit, "\(end)")
    }

    @Test func `a cancelled task of the host ends the wait and the extension`() async throws {
        for editing in [try await misedit("silent"), try await edit(picture(conduct: "works until cancelled"))] {
            let task = Task { try await editing.finish() }
            try await Task.sleep(for: .milliseconds(200))
            task.cancel()
            let error = await #expect(throws: HostError.self) { try await task.value }
            guard case .taskCancelled? = error else { return record(error) }
            #expect(editing.session.termination != nil)
        }
    }

    @Test func `actions at once leave the newest view`() async throws {
        let editing = try await edit(picture())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try? await editing.perform(turn) } }
        }
        #expect(text(editing.view).hasSuffix("turns 20"))
        async let one = editing.finish()
        async let other = editing.finish()
        #expect(try await one.renderedContent.load() == [1, 2, 3])
        _ = try await other
    }

    @Test func `an event that is never answered ends with the answer to the request`() async throws {
        let editing = try await misedit("answer in silence")
        try await editing.perform(turn)
        #expect(editing.isAnswered)
        await editing.cancel()
    }

    @Test func `an answer that never comes is ended by the time limit`() async throws {
        let error = await #expect(throws: HostError.self) { try await misedit("silent", .seconds(1)).finish() }
        guard case .ended(let end)? = error else { return record(error) }
        #expect(end.reason == .timeLimit, "\(end)")
    }

    @Test func `a view that breaks a limit ends its extension`() async throws {
        let editing = try await misedit("large view")
        let error = await #expect(throws: HostError.self) { try await editing.perform(turn) }
        guard case .ended(let end)? = error else { return record(error) }
        #expect(end.reason == .protocolViolation, "\(end)")
    }

    private func record(_ error: HostError?) { Issue.record("\(String(describing: error))") }
}
