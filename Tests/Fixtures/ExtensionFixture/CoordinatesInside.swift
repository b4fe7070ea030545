// Uses files of its app group through a coordinator. The words of a request's text are a command, the group, the
// item, and the values for the command.
import AnnexExtension
import AnnexGroups
import Glibc
import Synchronization

final class CoordinatesInside: AppExtension {
    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        let words = (items.first?.contentText ?? "").split(separator: " ").map(String.init)
        do {
            return [ExtensionItem(contentText: try await act(words[0], words[1], words[2], Array(words.dropFirst(3))))]
        } catch let error as PortalError {
            return [ExtensionItem(contentText: "\(error.code): \(error)")]
        }
    }

    private func act(_ conduct: String, _ group: String, _ item: String, _ rest: [String]) async throws -> String {
        let group = try AppGroup(group)
        let coordinator = FileCoordinator(group)
        switch conduct {
        case "writes":
            return try await coordinator.coordinate(writingItemAt: item, within: .milliseconds(200)) { path in
                write(rest[0], to: path)
            }
        case "reads": return try await coordinator.coordinate(readingItemAt: item) { path in read(path) }
        case "holds":
            return try await coordinator.coordinate(writingItemAt: item) { path in
                _ = write("held", to: path)
                while !read(group.path + "/" + rest[0]).hasPrefix("go") { try await Task.sleep(for: .milliseconds(5)) }
                return "released"
            }
        case "adds":
            for _ in 0..<(Int(rest[0]) ?? 0) {
                try coordinator.coordinateAndWait(writingItemAt: item, within: .seconds(600)) { path in
                    _ = write("\((Int(read(path)) ?? 0) + 1)", to: path)
                }
            }
            return try await coordinator.coordinate(readingItemAt: item) { path in read(path) }
        case "presents": return try await hear(of: item, in: group, beginning: rest[0])
        default: return "no such conduct"
        }
    }

    private func hear(of item: String, in group: AppGroup, beginning sign: String) async throws -> String {
        let (news, continuation) = AsyncStream.makeStream(of: String.self)
        let presenter = Listener(item, reportingTo: continuation)
        try FileCoordinator.addFilePresenter(presenter, in: group)
        _ = write("ready", to: group.path + "/" + sign)
        for await one in news { return one }
        return "ended"
    }
}

private final class Listener: FilePresenter {
    let presentedItemPath: String
    private let news: AsyncStream<String>.Continuation

    init(_ path: String, reportingTo news: AsyncStream<String>.Continuation) {
        presentedItemPath = path
        self.news = news
    }

    func presentedItemDidChange() async { news.yield("changed") }
    func presentedItemDidMove(to path: String) async { news.yield("moved \(path)") }
    func presentedItemWasDeleted() async { news.yield("deleted") }
}

private func write(_ text: String, to path: String) -> String {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { return "open: errno \(errno)" }
    defer { close(file) }
    let bytes = Array(text.utf8)
    return Glibc.write(file, bytes, bytes.count) == bytes.count ? "written" : "write: errno \(errno)"
}

private func read(_ path: String) -> String {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return "errno \(errno)" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(file, &bytes, bytes.count)
    return count < 0 ? "errno \(errno)" : String(decoding: bytes.prefix(count), as: UTF8.self)
}
