import AnnexExtension
import AnnexGroups
import Glibc
import WeatherKit

/// The widget of Weather: the sky and the temperature. The expanded widget also shows the next hours. While the user
/// has named no place, the widget has no content.
@main
final class WeatherWidget: WidgetExtension {
    private let place = Result { () throws(PortalError) in try WeatherPlace() }
    private var shown: (name: String, hour: Int)?

    private static let hours = 6
    /// The height of the expanded widget: a line of 20 points for each hour, below the compact part.
    private static let expandedHeight = 110 + hours * 20

    func widgetWillAppear(in widget: WidgetContext) {
        widget.largestAvailableDisplayMode = .expanded
        widget.preferredHeight = Self.expandedHeight
        guard case .success(let place) = place else { return }
        widget.reloadView(afterEachOf: place.changes())
    }

    func view(in widget: WidgetContext) -> ContentNode {
        guard case .success(let place) = place else {
            return .text("Allow the widget to use its app group, to see the weather here.", style: .secondary)
        }
        widget.hasContent = place.name != nil
        guard let name = place.name else { return [] }
        let hour = time(nil) / 3600
        shown = (name, hour)
        let now = Weather(in: name, at: hour)
        var nodes = [
            ContentNode.row([
                picture(now.sky), .text("\(now.temperature) °C"), .text(now.sky.rawValue, style: .secondary),
            ]),
            .text("in \(name)", style: .secondary), .progress(now.rain, label: "Rain"),
        ]
        if widget.activeDisplayMode == .expanded { nodes += (1...Self.hours).map { Self.row(in: name, at: hour + $0) } }
        return .list(nodes)
    }

    private static func row(in name: String, at hour: Int) -> ContentNode {
        let weather = Weather(in: name, at: hour)
        return .row([
            .text("\(hour % 24):00 UTC", style: .secondary), .text("\(weather.temperature) °C"),
            .text(weather.sky.rawValue, style: .secondary),
        ])
    }

    /// A picture from the bundle. If the file is missing, the word beside the picture gives the same information.
    private func picture(_ sky: Weather.Sky) -> ContentNode {
        let file = open("/bundle/\(sky).png", O_RDONLY)
        defer { if file >= 0 { close(file) } }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = file < 0 ? 0 : read(file, &bytes, bytes.count)
        return count > 0 ? .image(Array(bytes.prefix(count)), description: sky.rawValue) : .text("")
    }

    func widgetPerformUpdate(in widget: WidgetContext) async throws -> WidgetUpdateResult {
        let name = try place.get().name
        return name == shown?.name && time(nil) / 3600 == shown?.hour ? .noData : .newData
    }
}
