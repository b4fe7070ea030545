// A widget. The user's last action says how the widget behaves.
import AnnexExtension
import Glibc

final class ShowsAWidget: WidgetExtension {
    private var updates = 0
    private var conduct = ""
    private var events: [String] = []

    func view(in widget: WidgetContext) -> ContentNode {
        switch conduct {
        case "too large": return .text(String(repeating: "x", count: 1 << 20))
        case "escapes": return .text("a\u{1B}[31mred\u{202E}b")
        default: break
        }
        return [
            .text("updates \(updates)"), .text(events.joined(separator: ", "), style: .secondary),
            .button("Act", action: "act"),
        ]
    }

    func widgetPerformUpdate(in widget: WidgetContext) async throws -> WidgetUpdateResult {
        switch conduct {
        case "fails": throw Failure()
        case "sleeps": try await Task.sleep(for: .milliseconds(50))
        case "hangs": while true {}
        case "crashes": abort()
        case "knows": return .noData
        default: break
        }
        updates += 1
        return .newData
    }

    func widgetActiveDisplayModeDidChange(
        _ mode: WidgetDisplayMode, maximumSize: WidgetSize, in widget: WidgetContext
    ) { events.append("\(mode) \(maximumSize.width)x\(maximumSize.height)") }

    func widgetMarginInsets(forProposedMarginInsets insets: WidgetInsets) -> WidgetInsets {
        WidgetInsets(top: insets.top + 1, leading: -5, bottom: .max)
    }

    func widgetWillAppear(in widget: WidgetContext) {
        events.append("appeared")
        widget.largestAvailableDisplayMode = .expanded
    }

    func perform(_ action: ContentAction, in widget: WidgetContext) async throws {
        switch action.identifier {
        case "tall": widget.preferredHeight = 1 << 31
        case "low": widget.preferredHeight = 1
        case "empty": widget.hasContent = false
        case "compact": widget.largestAvailableDisplayMode = .compact
        case "reloads":
            updates += 10
            widget.reloadView()
        case "opens": try await widget.open("shout:now")
        default: conduct = action.identifier
        }
    }
}

private struct Failure: Error {}
