// The containing app's own program: `Weather in PLACE…`, or `Weather nowhere`.
import AnnexApp
import Glibc
import WeatherKit

/// - Returns: the line to print.
func run() throws(PortalError) -> String {
    let app = try ContainingApp.start()
    let place = try WeatherPlace()
    let words = CommandLine.arguments.dropFirst()
    switch words.first {
    case "in" where words.count > 1:
        let name = words.dropFirst().joined(separator: " ")
        try place.set(name)
        try app.setHasContent(true, forWidgetWithBundleIdentifier: WeatherPlace.widget)
        return "the widget shows the weather in \(Escaped(name))"
    case "nowhere" where words.count == 1:
        try place.set(nil)
        try app.setHasContent(false, forWidgetWithBundleIdentifier: WeatherPlace.widget)
        return "the widget knows no place, so the Today view hides it"
    default: throw PortalError(.invalid, what: "usage: Weather in PLACE… | nowhere")
    }
}

do throws(PortalError) {
    print(try run())
} catch {
    let message = "Weather: \(error)\n"
    _ = write(STDERR_FILENO, message, message.utf8.count)
    exit(1)
}
