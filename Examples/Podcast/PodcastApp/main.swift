// The containing app's own program: `Podcast list`, `pause EPISODE`, `resume EPISODE`. The daemon starts it without a
// screen when a download has ended.
import AnnexApp
import Glibc
import PodcastKit

/// - Returns: the lines to print.
func run() async throws -> [String] {
    let app = try ContainingApp.start()
    let shelf = try Shelf()
    if case .backgroundSession(let identifier) = app.startReason {
        try await app.handleEvents(of: identifier) { session in
            for task in try await session.tasks() {
                if let outcome = try await task.outcome() { try shelf.note(outcome) }
            }
        }
        return []
    }
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "list" where words.count == 1: return shelf.episodes.map { "\(Escaped($0.name))  \(Escaped($0.state))" }
    case "pause" where words.count == 2:
        try await shelf.pause(words[1])
        return ["paused \(Escaped(words[1]))"]
    case "resume" where words.count == 2:
        try await shelf.resume(words[1])
        return ["\(Escaped(words[1])) goes on"]
    default: throw PortalError(.invalid, what: "usage: Podcast list | pause EPISODE | resume EPISODE")
    }
}

do {
    for line in try await run() { print(line) }
} catch {
    let message = "Podcast: \(error)\n"
    _ = write(STDERR_FILENO, message, message.utf8.count)
    exit(1)
}
