internal import AnnexLinux
internal import AnnexMessages
internal import AnnexPortal
internal import AnnexTransferWire
internal import Synchronization

/// Uploads and downloads that go on when the process that began them has ended. Apple's counterpart is a `URLSession`
/// with a background configuration.
///
/// The broker takes over each task before the call that begins it returns. A program of its own moves the bytes. When
/// all tasks of the session have ended and no process holds the session, the broker starts the containing app, which
/// takes note of the outcomes: see `ContainingApp.handleEvents(of:)`.
///
/// ```swift
/// let session = try await BackgroundSession(
///     identifier: "com.example.todo.sync", sharedContainerIdentifier: "group.com.example.todo")
/// try await session.upload(
///     to: "https://example.org/albums",
///     parts: [.text("Summer", named: "title"), .file("outbox/1.jpg", named: "picture", type: "image/jpeg")])
/// ```
///
/// One process holds a session at a time, from the initialiser to `invalidate()` or to the end of the process.
public final class BackgroundSession: Sendable {
    /// How a session treats its tasks.
    public struct Configuration: Sendable, Hashable {
        /// The session's name among all sessions of the group: two or more parts with dots between them.
        public let identifier: String
        /// The app group in whose container files come and go.
        public let sharedContainerIdentifier: String
        /// Whether the tasks may wait until no other task waits.
        public var isDiscretionary = false
        /// How long the network may move no byte before an attempt ends. The broker then tries again.
        public var timeoutIntervalForRequest = Duration.seconds(60)
        /// How long a task may take in all, at most seven days.
        public var timeoutIntervalForResource = Duration.seconds(Int64(TransferLimits.longestSeconds))
        /// Headers of every request.
        public var httpAdditionalHeaders: [String: String] = [:]

        public init(identifier: String, sharedContainerIdentifier: String) {
            self.identifier = identifier
            self.sharedContainerIdentifier = sharedContainerIdentifier
        }
    }

    public let configuration: Configuration
    let group: String
    let portal: PortalClient
    /// The absolute path of the group's container.
    private let container: String
    /// The tasks of which this process knows that they have ended.
    private let ended = Mutex<Set<UInt64>>([])
    /// SYNC: the flag orders no other data. It is set before the broker learns that the session is let go.
    private let hasBeenLetGo = Atomic<Bool>(false)

    /// Holds a session. If the group has no session of this identifier, the call makes it.
    ///
    /// - Throws: `busy` if another process holds the session; `unavailable` if the broker is embedded in a host, and not
    ///   the daemon annexd; `notAllowed` if the extension may not use the network; `full` if the group has 16 sessions;
    ///   `notMember` if the process is not a member of the group.
    public convenience nonisolated(nonsending) init(_ configuration: Configuration) async throws(PortalError) {
        let group = try JoinedGroup.named(configuration.sharedContainerIdentifier)
        try await self.init(configuration, in: group, through: Portal.ofTransfers(of: group.portal))
    }

    package nonisolated(nonsending) init(
        _ configuration: Configuration, in group: JoinedGroup, through portal: PortalClient
    ) async throws(PortalError) {
        self.configuration = configuration
        self.group = group.identifier
        self.portal = portal
        container = group.container
        let opening = SessionOpening(
            identifier: configuration.identifier, seconds: configuration.timeoutIntervalForResource.wholeSeconds,
            isDiscretionary: configuration.isDiscretionary)
        _ = try await ask(BackgroundMethod.open, with: opening)
    }

    public convenience nonisolated(nonsending) init(
        identifier: String, sharedContainerIdentifier: String
    ) async throws(PortalError) {
        try await self.init(
            Configuration(identifier: identifier, sharedContainerIdentifier: sharedContainerIdentifier))
    }

    // MARK: Tasks

    /// Begins an upload whose body is one file of the container. When the call returns, the file has left the container.
    /// - Parameters:
    ///   - url: where to, with the scheme `http` or `https`.
    ///   - path: the file, by its absolute path in the container or by its path relative to the container.
    ///   - method: `POST`, `PUT` or `PATCH`.
    ///   - headers: further header fields of the request.
    @discardableResult
    public nonisolated(nonsending) func upload(
        to url: String, fromFile path: String, method: String = "PUT", headers: [String: String] = [:]
    ) async throws(PortalError) -> BackgroundTask {
        try await begin(url, by: Self.method(method), headers: headers, work: .upload(size: 0), files: [path])
    }

    /// Begins an upload of several parts (`multipart/form-data`). When the call returns, the files of the parts have left
    /// the container.
    /// - Parameters:
    ///   - url: where to, with the scheme `http` or `https`.
    ///   - parts: the parts of the form, in their order.
    ///   - method: `POST`, `PUT` or `PATCH`.
    ///   - headers: further header fields of the request.
    @discardableResult
    public nonisolated(nonsending) func upload(
        to url: String, parts: [UploadPart], method: String = "POST", headers: [String: String] = [:]
    ) async throws(PortalError) -> BackgroundTask {
        try await begin(
            url, by: Self.method(method), headers: headers, work: .form(parts.map(\.part)),
            files: parts.compactMap(\.path))
    }

    /// Begins a download into a file of the container. The file appears when it is whole, and replaces a file of this
    /// name.
    @discardableResult
    public nonisolated(nonsending) func download(
        from url: String, to path: String, headers: [String: String] = [:]
    ) async throws(PortalError) -> BackgroundTask {
        try await begin(
            url, by: .get, headers: headers, work: .download(TransferDownload(mostBytes: UInt64(Int64.max))),
            files: [path])
    }

    private nonisolated(nonsending) func begin(
        _ url: String, by method: TransferMethod, headers: [String: String], work: TransferWork, files: [String]
    ) async throws(PortalError) -> BackgroundTask {
        var paths: [String] = []
        for path in files { paths.append(try ItemPath(path, in: container).text) }
        let all = configuration.httpAdditionalHeaders.merging(headers) { $1 }.sorted { $0.key < $1.key }
        let job = TransferJob(
            key: TransferKey(task: 0, attempt: 0), method: method, url: url,
            headers: all.map { TransferHeader(name: $0.key, value: $0.value) },
            patience: TransferPatience(idle: configuration.timeoutIntervalForRequest.wholeSeconds), work: work)
        if let problem = job.problem {
            throw PortalError(.invalid, what: "the transfer \(problem.text)", remedy: "change the transfer")
        }
        let opening = TaskOpening(session: configuration.identifier, job: job, files: paths)
        let answer = try await ask(BackgroundMethod.begin, with: opening)
        let reference = try answer.decoded(as: TaskReference.self, within: BackgroundMethod.limits)
        return BackgroundTask(id: reference.task, session: self)
    }

    private static func method(_ name: String) throws(PortalError) -> TransferMethod {
        if let method = TransferMethod.allCases.first(where: { $0.name == name && $0 != .get }) { return method }
        throw PortalError(
            .invalid, what: "\(Escaped(name, limit: 40)) is no method of an upload", remedy: "use POST, PUT or PATCH")
    }

    /// All tasks of the session: those that go on, and those that have ended and of which no process has taken note.
    public nonisolated(nonsending) func tasks() async throws(PortalError) -> [BackgroundTask] {
        try await state().map { BackgroundTask(id: $0.number, session: self) }
    }

    nonisolated(nonsending) func state() async throws(PortalError) -> [TaskStatus] {
        let answer = try await ask(BackgroundMethod.look, with: SessionName(identifier: configuration.identifier))
        let tasks = try answer.decoded(as: SessionState.self, within: BackgroundMethod.limits).tasks
        ended.withLock { $0 = Set(tasks.filter { $0.phase == .ended }.map(\.number)) }
        return tasks
    }

    // MARK: Outcomes

    /// What happens to the tasks from now on, and the outcomes of which no process has taken note. See
    /// `BackgroundEvents`.
    public var events: BackgroundEvents { BackgroundEvents(of: self) }

    /// Records that this process knows the outcome of a task.
    func learn(ofEnd task: UInt64) { ended.withLock { _ = $0.insert(task) } }

    /// Takes note of all outcomes that this process has learned, by `tasks`, `events` or the tasks themselves. The broker
    /// forgets these tasks. Apple's counterpart is the completion handler of `handleEventsForBackgroundURLSession`.
    public nonisolated(nonsending) func finishEvents() async throws(PortalError) {
        let tasks = ended.withLock { $0.sorted() }
        _ = try await ask(
            BackgroundMethod.finishEvents, with: NotedTasks(session: configuration.identifier, tasks: tasks))
    }

    nonisolated(nonsending) func note(_ task: UInt64) async throws(PortalError) {
        _ = try await ask(
            BackgroundMethod.note, with: NotedTasks(session: configuration.identifier, tasks: [task]))
    }

    /// Whether this process has let the session go.
    var isInvalidated: Bool { hasBeenLetGo.load(ordering: .relaxed) }

    /// Lets the session go. Its tasks go on, and another process can hold the session.
    public nonisolated(nonsending) func invalidate() async throws(PortalError) {
        hasBeenLetGo.store(true, ordering: .relaxed)
        SessionWatches.end(self)
        _ = try await ask(BackgroundMethod.close, with: SessionName(identifier: configuration.identifier))
    }

    /// Cancels all tasks, and lets the session go.
    public nonisolated(nonsending) func invalidateAndCancel() async throws(PortalError) {
        for task in try await tasks() { try await task.cancel() }
        try await invalidate()
    }

    nonisolated(nonsending) func ask(
        _ method: PortalMethod, with message: some Message
    ) async throws(PortalError) -> PortalAnswer {
        let body: [UInt8]
        do throws(EncodingFailure) {
            body = try message.encoded(within: PortalRequest.limits)
        } catch {
            throw PortalError(.full, what: "the transfer is too large: \(error)", remedy: "keep long parts in files")
        }
        return try await portal.callLater(method, group: group, body: body)
    }

    /// The identifiers of the group's sessions that belong to the app of this process.
    package nonisolated(nonsending) static func identifiers(in group: String) async throws(PortalError) -> [String] {
        let portal = try Portal.ofTransfers(of: JoinedGroup.named(group).portal)
        return try await portal.callLater(BackgroundMethod.sessions, group: group)
            .decoded(as: NameList.self).names
    }
}

extension Duration {
    /// The whole seconds, at least 1 and at most the longest time limit of transfers.
    fileprivate var wholeSeconds: UInt32 {
        UInt32(clamping: min(max(components.seconds, 1), Int64(TransferLimits.longestSeconds)))
    }
}

/// One part of an upload.
public struct UploadPart: Sendable, Hashable {
    let part: TransferPart
    /// The file of the part, as a path of the container.
    let path: String?

    /// A field with a text.
    public static func text(_ text: String, named name: String, type: String? = nil) -> UploadPart {
        UploadPart(part: TransferPart(name: name, text: text, type: type), path: nil)
    }

    /// A field with a file.
    /// - Parameters:
    ///   - path: the file, by its absolute path in the container or by its path relative to the container.
    ///   - name: the name of the form's field.
    ///   - fileName: the name that the server sees; nil for the last name of the path.
    ///   - type: the media type, such as `image/jpeg`.
    public static func file(
        _ path: String, named name: String, fileName: String? = nil, type: String? = nil
    ) -> UploadPart {
        let shown = fileName ?? path.split(separator: "/").last.map(String.init)
        return UploadPart(part: TransferPart(name: name, fileName: shown, type: type, size: 0), path: path)
    }
}
