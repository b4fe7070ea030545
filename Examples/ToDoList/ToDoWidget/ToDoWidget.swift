import AnnexExtension
import AnnexGroups
import ToDoKit

/// The widget of ToDoList: the newest three entries, each with a button that finishes it. If there is no entry, a
/// button opens the app.
@main
final class ToDoWidget: WidgetExtension {
    private let list = Result { () throws(PortalError) in try ToDoList() }
    /// The entries of the buttons, as the last view shows them.
    private var shown: [String] = []

    private static let most = 3

    func widgetWillAppear(in widget: WidgetContext) {
        guard case .success(let list) = list else { return }
        widget.reloadView(afterEachOf: list.changes())
    }

    func view(in widget: WidgetContext) -> ContentNode {
        switch list {
        case .success(let list): return view(of: list.entries)
        case .failure(let error): return .text("The list cannot be read: \(error)", style: .secondary)
        }
    }

    private func view(of entries: [String]) -> ContentNode {
        shown = Array(entries.suffix(Self.most).reversed())
        guard !shown.isEmpty else { return ["Nothing to do", .button("Add", action: "add")] }
        let rows = shown.enumerated().map { index, entry in
            ContentNode.row([.button("Done", action: "done-\(index)"), .text(Self.line(entry))])
        }
        let more = entries.count - shown.count
        return .list(rows + (more > 0 ? [.text("and \(more) more", style: .secondary)] : []))
    }

    /// Any member of the group may have written an entry, so an entry may have any length.
    private static func line(_ entry: String) -> String { entry.count > 60 ? entry.prefix(59) + "…" : entry }

    func widgetPerformUpdate(in widget: WidgetContext) async throws -> WidgetUpdateResult {
        let entries = try list.get().entries
        return Array(entries.suffix(Self.most).reversed()) == shown ? .noData : .newData
    }

    func perform(_ action: ContentAction, in widget: WidgetContext) async throws {
        if action.identifier == "add" { try await widget.open("todolist://add") }
        // The list may have changed since the user saw it. So the action finds the entry by its text, and not by its
        // place in the list.
        for index in shown.indices where action.identifier == "done-\(index)" { try list.get().finish(shown[index]) }
    }
}
