import AnnexHost
import AnnexModel
import AnnexTestSupport
import Testing

/// The dialogue of a host with an action that has a view.
@Suite(.timeLimit(.minutes(20))) struct ActionTests {
    private func open(_ conduct: String = "") async throws -> ComposeSession {
        let app = try SubstituteApp(running: "acts")
        return try await AnnexHost.patient(with: app).compose(
            [ExtensionItem(contentText: conduct)], with: SubstituteApp.identifier)
    }

    private func text(_ state: ComposeState) -> String {
        guard case .list(let nodes)? = state.view?.root, case .text(let text, _)? = nodes.first else { return "" }
        return text
    }

    @Test func `an action draws its view and answers from it`() async throws {
        let dialogue = try await open()
        #expect(dialogue.hasSheet && text(dialogue.state) == "pressed 0")
        #expect(text(try await dialogue.perform(ContentAction(identifier: "press"))) == "pressed 1")
        try await dialogue.perform(ContentAction(identifier: "done"))
        #expect(try await dialogue.answer().first?.contentText == "2")
    }

    @Test func `an action reloads its view by itself`() async throws {
        let dialogue = try await open()
        try await dialogue.presentationAnimationDidFinish()
        var changes = dialogue.changes.makeAsyncIterator()
        #expect(text(try #require(await changes.next())) == "pressed 0, loaded")
        await dialogue.cancel()
    }

    @Test func `events of a compose sheet change nothing in an action`() async throws {
        let dialogue = try await open()
        #expect(text(try await dialogue.edit("text")) == "pressed 0")
        #expect(try await dialogue.tap(0) == nil)
        #expect(text(try await dialogue.choose(0, of: 0)) == "pressed 0")
        await dialogue.cancel()
    }

    @Test func `an action is not posted`() async throws {
        let dialogue = try await open()
        let error = await #expect(throws: HostError.self) { try await dialogue.post() }
        guard case .invalidRequest? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!dialogue.isAnswered)
        await dialogue.cancel()
    }

    @Test func `a cancelled action ends as cancelled`() async throws {
        let dialogue = try await open()
        #expect(await dialogue.cancel().reason == .cancelled)
        await #expect(throws: HostError.self) { try await dialogue.answer() }
    }

    @Test func `a view that breaks a limit fails the action and says which`() async throws {
        let dialogue = try await open("too large")
        for _ in 0..<2 { try await dialogue.perform(ContentAction(identifier: "press")) }
        let error = await #expect(throws: HostError.self) {
            try await dialogue.perform(ContentAction(identifier: "press"))
            _ = try await dialogue.answer()
        }
        #expect("\(String(describing: error))".contains("view: has more than"), "\(String(describing: error))")
    }
}
