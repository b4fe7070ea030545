public import AnnexGroups

/// The user's episodes. Each is a file of the group that the app and its extension share, from the moment when it is
/// whole. The shared defaults of the group keep what became of each download.
public struct Shelf: Sendable {
    public static let group = "group.com.example.podcast"
    /// Each episode has a background session of its own, which is named after it.
    private static let prefix = "com.example.podcast.of."

    private let defaults: SharedDefaults

    public init() throws(PortalError) { defaults = try SharedDefaults(suiteName: Self.group) }

    /// The episodes and what became of them, in the order of their names. A server or another member of the group may
    /// have made the texts, so escape them before you show them.
    public var episodes: [(name: String, state: String)] {
        defaults.values.compactMap { name, value in value.string.map { (name, $0) } }.sorted { $0.name < $1.name }
    }

    /// Begins the download of an episode. When the call returns, the process can end.
    /// - Returns: the name of the episode: the last part of the URL's path. A session accepts only names that are safe as
    ///   names of files.
    public func get(_ url: String) async throws -> String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        try await hold(name) { session in
            guard try await Self.going(in: session).isEmpty else {
                throw PortalError(.busy, what: "\(Escaped(name)) is on its way already")
            }
            try await session.download(from: url, to: name)
            try defaults.set(.string("on its way"), forKey: name)
        }
        return name
    }

    /// Pauses the download of an episode. The bytes that have arrived stay.
    public func pause(_ name: String) async throws {
        try await change(name, to: "paused") { try await $0.suspend() }
    }

    /// Goes on with the download of an episode, from the bytes that have arrived.
    public func resume(_ name: String) async throws {
        try await change(name, to: "on its way") { try await $0.resume() }
    }

    /// Keeps what became of a download.
    public func note(_ outcome: BackgroundOutcome) throws {
        guard let name = outcome.files.first else { return }
        let status = outcome.status.map { "the server says \($0)" }
        let reason = outcome.failure ?? status ?? "no answer"
        try defaults.set(.string(outcome.isSuccess ? "whole" : "failed: \(reason)"), forKey: name)
    }

    // MARK: Sessions

    private func change(_ name: String, to state: String, _ body: (BackgroundTask) async throws -> Void) async throws {
        try await hold(name) { session in
            let tasks = try await Self.going(in: session)
            guard !tasks.isEmpty else {
                throw PortalError(.notFound, what: "\(Escaped(name)) is not on its way", remedy: "see Podcast list")
            }
            for task in tasks { try await body(task) }
            try defaults.set(.string(state), forKey: name)
        }
    }

    /// Holds the session of an episode while the body works. The daemon does not start the app meanwhile.
    private func hold(_ name: String, _ body: (BackgroundSession) async throws -> Void) async throws {
        let session = try await BackgroundSession(
            identifier: Self.prefix + name, sharedContainerIdentifier: Self.group)
        do {
            try await body(session)
        } catch {
            try? await session.invalidate()
            throw error
        }
        try await session.invalidate()
    }

    private static func going(in session: BackgroundSession) async throws -> [BackgroundTask] {
        var going: [BackgroundTask] = []
        for task in try await session.tasks() where try await task.outcome() == nil { going.append(task) }
        return going
    }
}
