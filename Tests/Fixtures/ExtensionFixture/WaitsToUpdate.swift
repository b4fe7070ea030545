// A widget that waits a tenth of a second for new content, as if it waited for a server.
import AnnexExtension

final class WaitsToUpdate: WidgetExtension {
    private var updates = 0

    func view(in widget: WidgetContext) -> ContentNode { .text("updates \(updates)") }

    func widgetPerformUpdate(in widget: WidgetContext) async throws -> WidgetUpdateResult {
        try await Task.sleep(for: .milliseconds(100))
        updates += 1
        return .newData
    }
}
