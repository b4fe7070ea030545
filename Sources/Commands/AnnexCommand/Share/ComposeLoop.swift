import AnnexHost
import AnnexModel
import Synchronization

/// Leads the user through a dialogue with an extension, line by line.
struct ComposeLoop {
    private let dialogue: ComposeSession
    private let name: String
    private let screen: ShareScreen
    private let isStale = Flag()

    init(_ dialogue: ComposeSession, named name: String, on screen: ShareScreen) {
        self.dialogue = dialogue
        self.name = name
        self.screen = screen
    }

    private enum Step {
        case line(String)
        /// The extension has changed the sheet by itself.
        case changed
        /// The extension has answered or ended.
        case answered
        case endOfInput
    }

    /// Shows the sheet until the extension has answered, and ends the session in any case.
    /// - Throws: `ShareFailure.givenUp` if the user cancels or the input ends.
    func answer(_ typed: TypedLines) async throws -> [ExtensionItem] {
        do {
            return try await lead(typed)
        } catch {
            await dialogue.cancel()
            throw error
        }
    }

    private func lead(_ typed: TypedLines) async throws -> [ExtensionItem] {
        guard dialogue.hasSheet else { return try await dialogue.answer() }
        try await dialogue.presentationAnimationDidFinish()
        var shown = show()
        typed.prompt(hint)
        // The setting whose options are shown.
        var setting: (place: Int, options: ComposeOptions)?
        steps: for await step in steps(typed) {
            switch step {
            case .answered: return try await dialogue.answer()
            case .endOfInput:
                if try await isAnsweredSoon() { return try await dialogue.answer() }
                break steps
            case .changed:
                isStale.clear()
                // The change may have come with an earlier answer of the extension, and may be drawn already. So the
                // sheet is drawn again only if its lines differ.
                if drawing.lines != shown { shown = show() }
            case .line(":cancel"): break steps
            case .line(":post"):
                if let answer = try await post() { return answer }
            case .line(let line):
                setting = try await take(line, choosingIn: setting)
                if setting == nil { shown = show() }
            }
            typed.prompt(hint)
        }
        throw ShareFailure.givenUp
    }

    /// Waits at most a second for the extension's answer, and returns whether it has arrived. The user's last line may
    /// have picked a button that makes the extension answer.
    private func isAnsweredSoon() async throws -> Bool {
        for _ in 0..<100 where !dialogue.isAnswered { try await Task.sleep(for: .milliseconds(10)) }
        return dialogue.isAnswered
    }

    /// - Returns: nil if the extension does not accept the text. The sheet then stays open.
    private func post() async throws -> [ExtensionItem]? {
        do {
            return try await dialogue.post()
        } catch HostError.invalidRequest where !dialogue.isAnswered {
            screen.draw([
                dialogue.state.view == nil
                    ? "the extension does not accept this text yet" : "this view cannot be posted: use its buttons"
            ])
            return nil
        }
    }

    /// The hint about what the user can type. In a view of the extension, there is no text to type. An action with a
    /// view cannot be posted, because the view's own buttons end the action.
    private var hint: String {
        let state = dialogue.state
        guard state.view != nil else { return "Text, a number, :post or :cancel" }
        return state.isContentValid ? "A number, :post or :cancel" : "A number or :cancel"
    }

    /// - Returns: the lines that were drawn.
    private func show() -> [String] {
        let lines = drawing.lines
        screen.draw(lines)
        return lines
    }

    private var drawing: ComposeDrawing {
        ComposeDrawing(dialogue.state, named: name, width: screen.width, style: screen.style)
    }

    /// Handles a typed line.
    /// - Returns: the setting whose options are shown now.
    private func take(
        _ line: String, choosingIn setting: (place: Int, options: ComposeOptions)?
    ) async throws -> (place: Int, options: ComposeOptions)? {
        if let setting, let number = Int(line) {
            guard setting.options.titles.indices.contains(number - 1) else {
                screen.draw(["there is no option \(number)"])
                return setting
            }
            try await dialogue.choose(number - 1, of: setting.place)
            return nil
        }
        let picks = drawing.picks
        if let number = Int(line), picks.indices.contains(number - 1) { return try await act(on: picks[number - 1]) }
        try await dialogue.edit(line.hasPrefix(":text ") ? String(line.dropFirst(6)) : line == ":text" ? "" : line)
        return nil
    }

    private func act(on pick: ComposeDrawing.Pick) async throws -> (place: Int, options: ComposeOptions)? {
        switch pick {
        case .action(let action):
            try await dialogue.perform(action)
            return nil
        case .setting(let place):
            guard let options = try await dialogue.tap(place) else { return nil }
            screen.draw(
                options.titles.enumerated().map { index, title in
                    "  [\(index + 1)] \(title)\(index == options.chosen ? "  ✓" : "")"
                })
            return (place, options)
        }
    }

    /// The user's lines and the extension's changes, in the order of events.
    private func steps(_ typed: TypedLines) -> AsyncStream<Step> {
        AsyncStream { continuation in
            let reading = Task {
                for await line in typed.lines { continuation.yield(.line(line)) }
                continuation.yield(.endOfInput)
            }
            let watching = Task { [dialogue, isStale] in
                // At most one redraw is pending, no matter how fast the extension changes its sheet.
                for await _ in dialogue.changes where isStale.set() {
                    continuation.yield(.changed)
                }
                continuation.yield(.answered)
            }
            continuation.onTermination = { _ in
                reading.cancel()
                watching.cancel()
            }
        }
    }
}

/// Whether the sheet's state has changed since the sheet was drawn, so that the sheet will be drawn again.
private final class Flag: Sendable {
    /// SYNC: relaxed, because a lock protects the state itself.
    private let isSet = Atomic(false)

    /// - Returns: whether the flag was not set before.
    func set() -> Bool { !isSet.exchange(true, ordering: .relaxed) }

    func clear() { isSet.store(false, ordering: .relaxed) }
}
