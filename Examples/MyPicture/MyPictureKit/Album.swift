public import AnnexGroups
internal import Glibc

/// The user's posts, in a file of the group that the app and its extension share. Each line of the file is one post.
public struct Album: Sendable {
    public static let group = "group.com.example.mypicture"
    private static let file = "album.txt"
    private static let server = DefaultsKey("server", default: "")

    private let coordinator: FileCoordinator
    private let defaults: SharedDefaults

    public init() throws(PortalError) {
        coordinator = FileCoordinator(try AppGroup(Self.group))
        defaults = try SharedDefaults(suiteName: Self.group)
    }

    /// The URL that takes the posts; nil if the user has named none.
    public var server: String? {
        let server = defaults[Self.server]
        return server.isEmpty ? nil : server
    }

    public func setServer(_ url: String) throws(PortalError) { try defaults.set(url, for: Self.server) }

    /// The posts, the oldest first. Any member of the group may have written them, so escape them before you show them.
    public func posts() async throws -> [Post] {
        try await coordinator.coordinate(readingItemAt: Self.file) { try Self.read($0) }
    }

    /// Changes the post of a session. If the album has no such post, the change begins with an empty one.
    public func change(_ session: String, _ body: (inout Post) -> Void) async throws {
        try await coordinator.coordinate(writingItemAt: Self.file) { path in
            var posts = try Self.read(path)
            let index = posts.firstIndex { $0.session == session } ?? posts.count
            if index == posts.count { posts.append(Post(session: session)) }
            body(&posts[index])
            try Self.write(posts, to: path)
        }
    }

    // MARK: The file

    private static func read(_ path: String) throws -> [Post] {
        var found = stat()
        // Any failure but this one must not look like an empty album, which the next change would then keep.
        // SAFETY: the path is lent for the call, which fills in one value.
        if unsafe stat(path, &found) != 0, errno == ENOENT { return [] }
        let bytes = try ItemContents(path: path).load()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { Post(line: $0) }
    }

    /// The file is replaced as a whole. So after a crash it has either the old contents or the new contents.
    private static func write(_ posts: [Post], to path: String) throws {
        let new = path + ".new"
        // SAFETY: the paths are lent for the calls.
        _ = unsafe unlink(new)
        try ItemContents(bytes: posts.flatMap { Array("\($0.line)\n".utf8) }).write(to: new)
        guard unsafe rename(new, path) == 0 else {
            throw PortalError(.system, what: "the album cannot be replaced: error \(errno)")
        }
    }
}

/// One post.
public struct Post: Sendable, Hashable {
    public enum State: String, Sendable, Hashable {
        case uploading, uploaded, failed
    }

    /// The background session that uploads the post. Each post has a session of its own, so that two sheets never wait
    /// for each other.
    public let session: String
    public var state = State.uploading
    /// The server's answer, or the reason why the post failed.
    public var note = ""
    public var category = ""
    public var pictures = 0
    public var text = ""

    init(session: String) { self.session = session }

    /// The identifier of a new session. Later sessions come later in the order of texts.
    public static func newSession() -> String {
        var now = timespec()
        // SAFETY: the call fills in one value.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &now)
        return "com.example.mypicture.post-\(now.tv_sec)-\(UInt32.random(in: 0 ... .max))"
    }

    /// Keeps what became of the upload.
    public mutating func finish(with outcome: BackgroundOutcome) {
        let answer = String(decoding: outcome.body.prefix(500), as: UTF8.self)
        state = outcome.isSuccess ? .uploaded : .failed
        note = outcome.failure ?? (outcome.isSuccess ? answer : "the server says \(outcome.status ?? 0): \(answer)")
        if pictures == 0 { pictures = outcome.files.count }
    }

    // MARK: A line of the album

    fileprivate var line: String {
        [session, state.rawValue, note, category, "\(pictures)", text].map(Self.oneLine).joined(separator: "\t")
    }

    fileprivate init?(line: Substring) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 6, let state = State(rawValue: fields[1]) else { return nil }
        self.init(session: fields[0])
        (self.state, note, category, text) = (state, fields[2], fields[3], fields[5])
        pictures = Int(fields[4]) ?? 0
    }

    private static func oneLine(_ text: String) -> String {
        text.split { $0.isNewline || $0 == "\t" }.joined(separator: " ")
    }
}
