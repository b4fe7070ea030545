import AnnexBroker
import AnnexBrokerAPI
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexHost

/// A host and a widget of the Today view.
@Suite(.timeLimit(.minutes(20))) struct WidgetTests {
    private let placement = WidgetPlacement(width: 320, expandedHeight: 400)
    private let folder: TemporaryFolder
    private let app: SubstituteApp

    init() throws {
        folder = try TemporaryFolder()
        app = try SubstituteApp(running: "shows-a-widget")
        try app.setPoint("com.apple.widget-extension")
    }

    private func widget() async throws -> WidgetSession {
        var wishes = BrokerConfiguration()
        wishes.patience = .patience
        wishes.holdsBack = false
        wishes.privateDirectories = .folder(folder.url.path + "/private")
        let host = AnnexHost(service: try Broker(wishes))
        try await host.install(app: app.path)
        try await host.setEnabled(true, for: SubstituteApp.identifier)
        return try await host.widget(SubstituteApp.identifier)
    }

    private func perform(_ conduct: String, in widget: WidgetSession) async throws -> WidgetState {
        try await widget.perform(ContentAction(identifier: conduct))
    }

    /// The texts of the widget's view.
    private func texts(_ state: WidgetState) -> [String] {
        guard case .list(let nodes)? = state.view?.root else { return [] }
        return nodes.compactMap { if case .text(let text, _) = $0 { text } else { nil } }
    }

    @Test func `a widget appears, updates, acts and disappears`() async throws {
        let widget = try await widget()
        #expect(texts(try await widget.appear(at: placement)) == ["updates 0", "appeared"])
        #expect(try await widget.performUpdate() == .newData)
        #expect(texts(widget.state).first == "updates 1")
        _ = try await perform("sleeps", in: widget)
        #expect(try await widget.performUpdate() == .newData, "an update may await")
        _ = try await perform("knows", in: widget)
        #expect(try await widget.performUpdate() == .noData)
        #expect(await widget.disappear().reason == .completed)
    }

    @Test func `a widget learns its display mode and its largest size`() async throws {
        let widget = try await widget()
        try await widget.appear(at: placement)
        var wide = WidgetPlacement(width: 600, expandedHeight: 300, mode: .expanded)
        #expect(texts(try await widget.move(to: wide)).last == "appeared, expanded 600x300")
        wide.activeDisplayMode = .compact
        #expect(texts(try await widget.move(to: wide)).last == "appeared, expanded 600x300, compact 600x110")
        await widget.disappear()
    }

    @Test func `the height of a widget stays within the limits of its surface`() async throws {
        let widget = try await widget()
        var state = try await widget.appear(at: placement)
        var expanded = placement
        expanded.activeDisplayMode = .expanded
        #expect(state.largestAvailableDisplayMode == .expanded)
        #expect(state.height(in: placement) == 110 && state.height(in: expanded) == 400)
        state = try await perform("tall", in: widget)
        #expect(state.height(in: expanded) == 400 && state.height(in: placement) == 110)
        state = try await perform("low", in: widget)
        #expect(state.height(in: expanded) == 110)
        #expect(state.marginInsets == WidgetInsets(top: 1, leading: 0, bottom: WidgetSize.most))
        state = try await perform("compact", in: widget)
        #expect(state.displayMode(in: expanded) == .compact && state.height(in: expanded) == 110)
        #expect(try await perform("empty", in: widget).hasContent == false)
        await widget.disappear()
    }

    @Test func `a widget changes its view by itself`() async throws {
        let widget = try await widget()
        try await widget.appear(at: placement)
        var changes = widget.changes.makeAsyncIterator()
        _ = try await perform("reloads", in: widget)
        #expect(texts(try #require(await changes.next())).first == "updates 10")
        await widget.disappear()
        #expect(await changes.next() == nil, "the changes end with the widget")
    }

    @Test func `a widget that fails keeps its last view`() async throws {
        let widget = try await widget()
        try await widget.appear(at: placement)
        _ = try await perform("fails", in: widget)
        #expect(try await widget.performUpdate() == .failed)
        #expect(texts(widget.state).first == "updates 0")
        let error = await #expect(throws: HostError.self) { try await perform("too large", in: widget) }
        guard case .cancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(texts(widget.state).first == "updates 0")
        await widget.disappear()
    }

    @Test func `a text of a widget has no terminal escapes and no bidirectional overrides`() async throws {
        let widget = try await widget()
        try await widget.appear(at: placement)
        let state = try await perform("escapes", in: widget)
        guard case .text(let text, _)? = state.view?.root else {
            Issue.record("\(state)")
            return
        }
        #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
        await widget.disappear()
    }

    @Test func `a widget that hangs or crashes ends alone and keeps its last view`() async throws {
        for conduct in ["crashes", "hangs"] {
            let (broken, other) = (try await widget(), try await widget())
            try await broken.appear(at: placement)
            _ = try await perform(conduct, in: broken)
            let update = Task { try await broken.performUpdate() }
            try await other.appear(at: placement)
            #expect(try await other.performUpdate() == .newData)
            if conduct == "hangs" { _ = await broken.session.cancel() }
            #expect((try? await update.value) == nil)
            #expect(texts(broken.state).first == "updates 0")
            await other.disappear()
        }
    }
}
