import AnnexExtension
import Glibc

/// A widget of News: three headlines of its section. Each update shows other headlines. All widgets of the app use
/// this program. The bundle of each widget contains the headlines of its section.
@main
final class NewsWidget: WidgetExtension {
    private var headlines: [String] = []
    private var first = 0

    private static let most = 3

    func widgetWillAppear(in widget: WidgetContext) {
        headlines = Self.text("/bundle/headlines.txt").split(separator: "\n").map(String.init)
        // Until the next update, the widget shows the same headlines as before.
        first = Self.place(in: widget).flatMap { Int(Self.text($0)) } ?? 0
        widget.largestAvailableDisplayMode = .expanded
    }

    func view(in widget: WidgetContext) -> ContentNode {
        guard !headlines.isEmpty else { return .text("No news", style: .secondary) }
        let count = widget.activeDisplayMode == .expanded ? headlines.count : min(Self.most, headlines.count)
        widget.preferredHeight = 30 + headlines.count * 20
        return .list((0..<count).map { .text(headlines[(first + $0) % headlines.count]) })
    }

    func widgetPerformUpdate(in widget: WidgetContext) async throws -> WidgetUpdateResult {
        guard headlines.count > Self.most else { return .noData }
        first = (first + 1) % headlines.count
        if let place = Self.place(in: widget) { Self.keep("\(first)", in: place) }
        return .newData
    }

    // MARK: Files

    private static func place(in widget: WidgetContext) -> String? { widget.privateDirectory.map { $0 + "/first" } }

    private static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// The file is replaced as a whole, so that the next launch reads either the old contents or the new contents.
    private static func keep(_ text: String, in path: String) {
        let file = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { return }
        let isWritten = write(file, text, text.utf8.count) == text.utf8.count
        close(file)
        if isWritten { rename(path + ".new", path) }
    }
}
