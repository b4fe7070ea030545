import AnnexBroker
import AnnexChannel
import AnnexHost
import AnnexModel
import AnnexPolicy
import AnnexTestSupport
import Testing

/// The dialogue of a host with a share extension: its compose sheet, or its own view.
@Suite(.timeLimit(.minutes(20))) struct ComposeTests {
    private func compose(
        _ conduct: String = "", text: String = "", running program: String = "composes",
        _ adjust: @escaping @Sendable (inout PolicyLimits) -> Void = { _ in }
    ) async throws -> ComposeSession {
        let app = try SubstituteApp(running: program)
        return try await AnnexHost.patient(with: app, adjust).compose(
            [ExtensionItem(contentText: conduct)], with: SubstituteApp.identifier, text: text)
    }

    @Test func `a sheet opens with placeholder, text, count and settings`() async throws {
        let dialogue = try await compose(text: "Hello")
        #expect(dialogue.hasSheet)
        let state = dialogue.state
        #expect(state.placeholder == "Say something" && state.contentText == "Hello")
        #expect(state.charactersRemaining == 5 && state.isContentValid)
        #expect(state.configurationItems.map(\.title) == ["Category", "Pictures"])
        #expect(state.configurationItems.map(\.value) == ["None", "0"])
        #expect(state.configurationItems.map(\.isTappable) == [true, false])
        #expect(state.view == nil)
        await dialogue.cancel()
    }

    @Test func `each edit is checked, and only a valid text is posted`() async throws {
        let dialogue = try await compose()
        #expect(try await dialogue.edit("12345678901").charactersRemaining == -1)
        #expect(!dialogue.state.isContentValid)
        await #expect(throws: HostError.self) { try await dialogue.post() }
        #expect(!dialogue.isAnswered)
        #expect(try await dialogue.edit("1234567890").isContentValid)
        #expect(try await dialogue.post().first?.contentText == "None: 1234567890")
        #expect(dialogue.session.termination?.reason == .completed)
    }

    @Test func `an extension replaces the text of the sheet`() async throws {
        let dialogue = try await compose()
        #expect(try await dialogue.edit("shout").contentText == "SHOUT")
        #expect(try await dialogue.post().first?.contentText == "None: SHOUT")
    }

    @Test func `a setting pushes its options, and the choice comes back`() async throws {
        let dialogue = try await compose()
        let options = try #require(try await dialogue.tap(0))
        #expect(options == ComposeOptions(titles: ["None", "Holiday", "Work"], chosen: 0))
        #expect(try await dialogue.tap(1) == nil)
        #expect(try await dialogue.tap(99) == nil)
        #expect(try await dialogue.choose(1, of: 0).configurationItems.first?.value == "Holiday")
        #expect(try await dialogue.choose(2, of: 77).configurationItems.first?.value == "Holiday")
        #expect(try await dialogue.post().first?.contentText == "Holiday: ")
    }

    @Test func `what the extension changes by itself reaches the host`() async throws {
        let dialogue = try await compose()
        #expect(try await dialogue.presentationAnimationDidFinish().configurationItems.first?.value == "Work")
        var changes = dialogue.changes.makeAsyncIterator()
        // The extension has told of two changes, and the second one replaces the first.
        while let value = await changes.next()?.configurationItems.first?.value, value != "Work" {
            #expect(value == "Loaded")
        }
        #expect(dialogue.state.configurationItems.first?.value == "Work")
        await dialogue.cancel()
        while let change = await changes.next() { #expect(change.configurationItems.first?.value == "Work") }
    }

    @Test func `an extension draws a view of its own and answers from it`() async throws {
        let dialogue = try await compose("draws")
        #expect(
            dialogue.state.view?.root == [
                "pressed 0 times", .button("Press", action: "press"), .button("Done", action: "done"),
            ])
        let state = try await dialogue.perform(ContentAction(identifier: "press"))
        guard case .list(let nodes)? = state.view?.root else { return record(nil) }
        #expect(nodes.first == "pressed 1 times")
        try await dialogue.perform(ContentAction(identifier: "done"))
        #expect(try await dialogue.answer().first?.contentText == "2")
    }

    @Test func `an extension may answer while the user still types`() async throws {
        let dialogue = try await compose()
        try await dialogue.edit("answer")
        #expect(try await dialogue.answer().first?.contentText == "early")
        #expect(dialogue.isAnswered)
        try await dialogue.edit("more")
    }

    @Test func `an event that is never answered ends with the answer to the request`() async throws {
        let dialogue = try await compose(running: "miscomposes")
        try await dialogue.edit("answer in silence")
        #expect(try await dialogue.answer().first?.contentText == "silent")
    }

    @Test func `a sheet that is posted twice at once is posted once and fails for none`() async throws {
        for _ in 0..<20 {
            let dialogue = try await compose(text: "Hello")
            async let one = dialogue.post()
            async let other = dialogue.post()
            #expect(try await one.first?.contentText == "None: Hello")
            #expect(try await other.first?.contentText == "None: Hello")
        }
    }

    @Test func `an option or a setting that is no more changes nothing`() async throws {
        let dialogue = try await compose()
        #expect(try await dialogue.choose(99, of: 0).configurationItems.first?.value == "None")
        #expect(try await dialogue.tap(-1) == nil)
        await #expect(throws: HostError.self) { try await dialogue.choose(-1, of: 0) }
        await dialogue.cancel()
    }

    @Test func `a change that is older than another leaves its parts alone`() throws {
        var (state, applied) = (ComposeState(), AppliedChanges())
        var (old, new) = (ComposeChange(number: 1), ComposeChange(number: 2))
        old.isContentValid = false
        old.placeholder = "old"
        new.isContentValid = true
        state.apply(new, after: &applied)
        state.apply(old, after: &applied)
        #expect(state.isContentValid && state.placeholder == "old")
        state.apply(ComposeChange(), after: &applied)
        #expect(state.isContentValid)
    }

    @Test func `a cancelled sheet ends the extension, also one that lingers`() async throws {
        for conduct in ["", "lingers"] {
            let dialogue = try await compose(conduct)
            let end = await dialogue.cancel()
            #expect(end.reason == .cancelled, "\(end)")
            await #expect(throws: HostError.self) { try await dialogue.answer() }
        }
    }

    @Test func `a check that hangs is ended by the watchdog`() async throws {
        let dialogue = try await compose { $0.watchdog = .milliseconds(700) }
        let error = await #expect(throws: HostError.self) { try await dialogue.edit("hang") }
        guard case .ended(let end)? = error else { return record(error) }
        #expect(end.reason == .unresponsive, "\(end)")
    }

    @Test func `a check that crashes has a signal as the reason`() async throws {
        let dialogue = try await compose()
        let error = await #expect(throws: HostError.self) { try await dialogue.edit("crash") }
        guard case .ended(let end)? = error else { return record(error) }
        #expect(end.reason == .crashed, "\(end)")
        await #expect(throws: HostError.self) { try await dialogue.answer() }
    }

    @Test func `an extension without a sheet works without the user`() async throws {
        let app = try SubstituteApp(running: "serves-everything")
        let dialogue = try await AnnexHost.patient(with: app).compose(
            [ExtensionItem(contentText: "naps 50")], with: SubstituteApp.identifier)
        #expect(!dialogue.hasSheet)
        #expect(try await dialogue.answer().first?.contentText == "50")
    }

    @Test func `items that cannot be sent are an error and no hang`() async throws {
        let app = try SubstituteApp(running: "composes")
        let host = try AnnexHost.patient(with: app)
        let much = ExtensionItem(contentText: String(repeating: "x", count: 40 << 20))
        let error = await #expect(throws: HostError.self) {
            let dialogue = try await host.compose([much], with: SubstituteApp.identifier)
            _ = try await dialogue.answer()
        }
        guard case .invalidRequest? = error else { return record(error) }
    }

    @Test(arguments: [
        "long placeholder", "long text", "long title", "long value", "many items", "many options", "wrong choice",
        "long option",
    ])
    func `a sheet that breaks a limit ends its extension`(_ conduct: String) async throws {
        let error = await #expect(throws: HostError.self) { try await compose(text: conduct, running: "miscomposes") }
        guard case .ended(let end)? = error else { return record(error) }
        #expect(end.reason == .protocolViolation, "\(end)")
    }

    @Test func `a flood of changes ends its extension`() async throws {
        let error = await #expect(throws: HostError.self) { try await compose(text: "flood", running: "miscomposes") }
        guard case .ended(let end)? = error else { return record(error) }
        #expect(end.reason == .messageBudget, "\(end)")
    }

    @Test func `texts of a sheet hold no terminal escapes`() async throws {
        // This extension serves no items, so its sheet opens and the request fails.
        let app = try SubstituteApp(running: "miscomposes")
        let session = try await AnnexHost.patient(with: app).begin(SubstituteApp.identifier)
        let change = try await session.call(ComposeEvent.opened(text: "escapes")).change
        #expect(change.placeholder == "\u{FFFD}[2J\u{FFFD}evil")
        #expect(change.contentText == "a\u{FFFD}]0;x\u{FFFD}\nb")
        #expect(change.configurationItems?.first?.title == "\u{FFFD}[31m")
        _ = await session.cancel()
    }

    private func record(_ error: HostError?) { Issue.record("\(String(describing: error))") }
}
