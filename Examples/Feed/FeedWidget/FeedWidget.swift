import AnnexExtension
import Glibc

/// A widget that gets its headlines from one machine, by HTTP. It works for a user who grants the network for this
/// machine only: it asks for the machine's name and connects as any program does.
@main
final class FeedWidget: WidgetExtension {
    private struct Failure: Error {
        let words: String
    }

    private var headlines: [String] = []
    private var trouble: String?

    private static let (most, longest) = (5, 64 << 10)

    func widgetWillAppear(in widget: WidgetContext) {
        // Until the next update, the widget shows the headlines of the last one.
        headlines = Self.place(in: widget).map { Self.lines(Self.text($0)) } ?? []
        if !widget.capabilities.canUseNetwork { trouble = "Feed may not use the network" }
    }

    func view(in widget: WidgetContext) -> ContentNode {
        let shown = headlines.prefix(Self.most).map { ContentNode.text($0) }
        let note = trouble.map { [ContentNode.text($0, style: .secondary)] } ?? []
        return .list(shown.isEmpty && note.isEmpty ? [.text("No headlines yet", style: .secondary)] : shown + note)
    }

    func widgetPerformUpdate(in widget: WidgetContext) async throws -> WidgetUpdateResult {
        guard widget.capabilities.canUseNetwork else { return .noData }
        do throws(Failure) {
            let text = try Self.fetch()
            (headlines, trouble) = (Self.lines(text), nil)
            if let place = Self.place(in: widget) { Self.keep(text, in: place) }
        } catch {
            trouble = error.words
        }
        return .newData
    }

    // MARK: The feed

    private static func lines(_ text: String) -> [String] { text.split(whereSeparator: \.isNewline).map(String.init) }

    /// The body of the machine's answer.
    private static func fetch() throws(Failure) -> String {
        let words = text("/bundle/feed.txt").split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.count == 3 else { throw Failure(words: "feed.txt names no feed") }
        let socket = try connect(to: words[0], port: words[1])
        defer { close(socket) }
        let request = "GET \(words[2]) HTTP/1.0\r\nHost: \(words[0])\r\n\r\n"
        guard send(socket, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count else {
            throw Failure(words: "\(words[0]) does not listen")
        }
        var answer: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while answer.count < longest, case let count = recv(socket, &bytes, bytes.count, 0), count > 0 {
            answer += bytes.prefix(count)
        }
        let parts = String(decoding: answer, as: UTF8.self).split(separator: "\r\n\r\n", maxSplits: 1)
        guard parts.count == 2, parts[0].split(separator: " ").dropFirst().first == "200" else {
            throw Failure(words: "\(words[0]) has no headlines")
        }
        return String(parts[1])
    }

    private static func connect(to name: String, port: String) throws(Failure) -> Int32 {
        var wish = addrinfo()
        wish.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, port, &wish, &found) == 0 else { throw Failure(words: "\(name) is not found") }
        defer { freeaddrinfo(found) }
        var next = found
        while let one = next {
            let socket = socket(one.pointee.ai_family, one.pointee.ai_socktype, 0)
            if Glibc.connect(socket, one.pointee.ai_addr, one.pointee.ai_addrlen) == 0 { return socket }
            close(socket)
            next = one.pointee.ai_next
        }
        throw Failure(words: "\(name) cannot be reached")
    }

    // MARK: Files

    private static func place(in widget: WidgetContext) -> String? { widget.privateDirectory.map { $0 + "/last" } }

    private static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: longest)
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
