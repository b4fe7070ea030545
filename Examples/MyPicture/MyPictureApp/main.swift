// The containing app's own program: `MyPicture server URL`, `MyPicture album`. The daemon starts it without a screen when
// the upload of a post has ended.
import AnnexApp
import Glibc
import MyPictureKit

/// - Returns: the lines to print.
func run() async throws -> [String] {
    let app = try ContainingApp.start()
    let album = try Album()
    if case .backgroundSession(let session) = app.startReason {
        try await finish(session, of: app, in: album)
        return []
    }
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "server" where words.count == 2:
        try album.setServer(words[1])
        return ["\(Escaped(words[1])) takes the pictures"]
    case "album" where words.count == 1: return try await album.posts().map(line)
    default: throw PortalError(.invalid, what: "usage: MyPicture server URL | album")
    }
}

/// Takes note of what became of a post, in the album. If this fails, the daemon starts the app once more.
func finish(_ session: String, of app: ContainingApp, in album: Album) async throws {
    try await app.handleEvents(of: session) { held in
        for task in try await held.tasks() {
            guard let outcome = try await task.outcome() else { continue }
            try await album.change(session) { $0.finish(with: outcome) }
        }
    }
}

func line(_ post: Post) -> String {
    let pictures = post.pictures == 1 ? "1 picture" : "\(post.pictures) pictures"
    let what = "\(post.state.rawValue)  \(Escaped(post.category))  \(pictures)  \(Escaped(post.text))"
    return post.note.isEmpty ? what : "\(what)  (\(Escaped(post.note)))"
}

do {
    for line in try await run() { print(line) }
} catch {
    let message = "MyPicture: \(error)\n"
    _ = write(STDERR_FILENO, message, message.utf8.count)
    exit(1)
}
