package import AnnexLinux
internal import AnnexModel
package import AnnexPortal
internal import AnnexTransferWire
internal import Synchronization

/// The service for background transfers. Only a broker of the daemon annexd has a desk, because transfers outlive the
/// programs that embed other brokers.
package final class BackgroundService: PortalService {
    private let kept: Result<TransferDesk, PortalError>
    private let loop: EventLoop
    /// Whether news about progress wait, for each connection and group.
    private let waiting = Mutex<Set<WaitingNews>>([])
    private let row = Lane.Row(of: .slow)

    private struct WaitingNews: Hashable, Sendable {
        let connection: UInt64
        let group: String
    }

    /// - Parameter kept: the desk of the user's transfers, or the reason why there is none.
    package init(_ kept: Result<TransferDesk, PortalError>, on loop: EventLoop) {
        self.kept = kept
        self.loop = loop
        (try? kept.get())?.holders.setTeller { [weak self] holder, isProgress in
            self?.tell(holder, ofProgress: isProgress)
        }
    }

    package var name: PortalServiceName { .transfers }

    package func handle(_ call: PortalCall) {
        do throws(PortalError) {
            let desk = try kept.get()
            do throws(StoreError) { try desk.recoverOnce() } catch { throw PortalError(error) }
            let group = try call.joinedGroup()
            try BackgroundRequest(call, in: group, at: desk).handle()
        } catch {
            call.fail(error)
        }
    }

    package func forget(_ connection: PortalConnection) {
        guard let desk = try? kept.get() else { return }
        let freed = desk.holders.freeAll(of: connection.number)
        guard !freed.isEmpty else { return }
        row.run { for session in freed { try? desk.released(session) } }
    }

    // MARK: News

    /// The shortest time between two news about progress.
    private static let pause = Duration.milliseconds(100)

    private func tell(_ holder: SessionHolders.Holder, ofProgress isProgress: Bool) {
        guard isProgress else { return send(to: holder) }
        let key = WaitingNews(connection: holder.number, group: holder.group.identifier)
        guard waiting.withLock({ $0.insert(key).inserted }) else { return }
        loop.schedule(after: Self.pause) { [weak self] in
            guard let self else { return }
            _ = waiting.withLock { $0.remove(key) }
            send(to: holder)
        }
    }

    private func send(to holder: SessionHolders.Holder) {
        let group = holder.group
        group.row.run {
            holder.connection?.paceNews(.transfers, of: group) { $0.sendNews(.transfers, of: group) }
        }
    }
}

extension PortalError {
    package static let transfersNeedDaemon = PortalError(
        .unavailable, what: "transfers need annexd, because they go on when the host has ended",
        remedy: "start annexd, install the app there, and let the host connect to annexd")
}

/// One request about background transfers.
private struct BackgroundRequest {
    private let call: PortalCall
    private let group: OpenGroup
    private let desk: TransferDesk

    init(_ call: PortalCall, in group: OpenGroup, at desk: TransferDesk) {
        self.call = call
        self.group = group
        self.desk = desk
    }

    func handle() throws(PortalError) {
        switch call.method {
        case BackgroundMethod.open: call.answer(try open())
        case BackgroundMethod.begin: call.answer(try begin())
        case BackgroundMethod.cancel: try change { (task) throws(StoreError) in try desk.end(task, as: .cancelled) }
        case BackgroundMethod.suspend: try change { (task) throws(StoreError) in try desk.suspend(task) }
        case BackgroundMethod.resume: try change { (task) throws(StoreError) in try desk.resume(task) }
        case BackgroundMethod.retry: try change { (task) throws(StoreError) in _ = try desk.retry(task) }
        case BackgroundMethod.look: call.answer(try state(of: session()))
        case BackgroundMethod.describe: call.answer(try description())
        case BackgroundMethod.note: try note(isLast: false)
        case BackgroundMethod.finishEvents: try note(isLast: true)
        case BackgroundMethod.close: try close()
        case BackgroundMethod.receipt: call.answer(try receipt())
        case BackgroundMethod.sessions: call.answer(try sessions())
        default: throw .unknownMethod
        }
    }

    // MARK: Sessions

    private func open() throws(PortalError) -> [UInt8] {
        let opening = try call.decoded(as: SessionOpening.self, within: BackgroundMethod.limits)
        try checkNetwork()
        guard SessionIdentifier.isValid(opening.identifier) else {
            throw PortalError(
                .invalid, what: "\(Escaped(opening.identifier, limit: 200)) is no identifier of a session",
                remedy:
                    "name it like a bundle, such as com.example.todo.sync; at most \(SessionIdentifier.mostBytes) bytes"
            )
        }
        let wish = SessionWish(
            group: group.key, identifier: opening.identifier, app: call.member.app, seconds: opening.seconds,
            isDiscretionary: opening.isDiscretionary)
        let holder = SessionHolders.Holder(
            connection: call.connection, group: group, member: call.member.identifier,
            number: call.connection.number, identifier: wish.identifier)
        // A session that another member holds stays as it is.
        let known = try stored { () throws(StoreError) in try desk.book.session(wish.identifier, of: group.key) }
        if let known, known.app == wish.app { try hold(known, by: holder) }
        let session = try stored { () throws(StoreError) in try desk.book.openSession(wish) }
        try hold(session, by: holder)
        return try state(of: session)
    }

    private func hold(_ session: BookedSession, by holder: SessionHolders.Holder) throws(PortalError) {
        guard let other = desk.holders.hold(session.number, by: holder) else { return }
        throw PortalError(
            .busy, what: "the session \(session.identifier) is held by \(other.member)",
            remedy: "try again when \(other.member) has let the session go, or use a session of your own")
    }

    /// The session that this member holds, from a request that names it.
    private func session() throws(PortalError) -> BookedSession {
        try session(call.decoded(as: SessionName.self, within: BackgroundMethod.limits).identifier)
    }

    private func session(_ identifier: String) throws(PortalError) -> BookedSession {
        let found = try stored { () throws(StoreError) in try desk.book.session(identifier, of: group.key) }
        guard let found, desk.holders.isHeld(found.number, by: call.connection.number) else {
            throw PortalError(
                .notFound, what: "this process holds no session \(Escaped(identifier, limit: 200))",
                remedy: "open the session first")
        }
        return found
    }

    private func state(of session: BookedSession) throws(PortalError) -> [UInt8] {
        let tasks = try stored { () throws(StoreError) in try desk.book.summaries(of: session.number) }
        return try SessionState(tasks: tasks.map { desk.status(of: $0) })
            .answerBody(within: BackgroundMethod.limits)
    }

    private func sessions() throws(PortalError) -> [UInt8] {
        let all = try stored { () throws(StoreError) in try desk.book.sessions() }
        let own = all.filter { $0.group == group.key && $0.app == call.member.app }
        return try NameList(names: own.map(\.identifier)).answerBody()
    }

    private func close() throws(PortalError) {
        let session = try session()
        _ = desk.holders.free(session.number, of: call.connection.number)
        try stored { () throws(StoreError) in try desk.released(session.number) }
        call.answer()
    }

    /// - Parameter isLast: whether the member has finished its work on the session's outcomes. If the member is the app,
    ///   its starts are forgotten then. An extension could make the broker start the app without end.
    private func note(isLast: Bool) throws(PortalError) {
        let noted = try call.decoded(as: NotedTasks.self, within: BackgroundMethod.limits)
        let session = try session(noted.session)
        try stored { () throws(StoreError) in
            try desk.note(
                noted.tasks.map { Int64(clamping: $0) }, of: session.number,
                isLast: isLast && call.member.identifier == session.app)
        }
        call.answer()
    }

    // MARK: Tasks

    private func begin() throws(PortalError) -> [UInt8] {
        let opening = try call.decoded(as: TaskOpening.self, within: BackgroundMethod.limits)
        try checkNetwork()
        let session = try session(opening.session)
        let job = TransferJob(
            key: opening.job.key, method: opening.job.method, url: opening.job.url, headers: opening.job.headers,
            patience: opening.job.patience, isDiscretionary: session.isDiscretionary, work: opening.job.work)
        let number = try desk.begin(
            job, files: opening.files, in: session, by: call.member.identifier, room: GroupLimits.bytes,
            check: { () throws(PortalError) in
                try checkNetwork()
                _ = try call.joinedGroup()
            })
        return try TaskReference(session: session.identifier, task: UInt64(clamping: number)).answerBody()
    }

    private func change(_ body: (BookedTask) throws(StoreError) -> Void) throws(PortalError) {
        let task = try task()
        try stored { () throws(StoreError) in try body(task) }
        call.answer()
    }

    private func task() throws(PortalError) -> BookedTask {
        let reference = try call.decoded(as: TaskReference.self, within: BackgroundMethod.limits)
        let session = try session(reference.session)
        let found = try stored { () throws(StoreError) in
            try desk.book.task(Int64(clamping: reference.task))
        }
        guard let found, found.session == session.number, found.state != .staging else {
            throw PortalError(
                .notFound, what: "the session \(session.identifier) has no task \(reference.task)",
                remedy: "list the tasks of the session")
        }
        return found
    }

    private func description() throws(PortalError) -> [UInt8] {
        let task = try task()
        return try TaskDescription(
            url: task.job.url, files: task.files, hasEnded: task.state == .ended, failure: task.outcome?.failure,
            answer: task.outcome?.answer
        ).answerBody(within: BackgroundMethod.limits)
    }

    private func receipt() throws(PortalError) -> [UInt8] {
        let task = try task()
        let receipt = try stored { () throws(StoreError) in try desk.book.addReceipt(for: task) }
        return try NameList(names: [receipt.text]).answerBody()
    }

    // MARK: Helpers

    /// The entitlement without which an extension reaches no other machine, neither by itself nor by a transfer.
    private static let network = "com.apple.security.network.client"

    private func checkNetwork() throws(PortalError) {
        guard !call.member.isAllowed(Self.network) else { return }
        throw PortalError(
            .notAllowed, what: "the entitlement \(Self.network) is not in force",
            remedy: "annex grant \(call.member.identifier) \(Self.network)")
    }

    @discardableResult
    private func stored<Result>(_ body: () throws(StoreError) -> Result) throws(PortalError) -> Result {
        do throws(StoreError) { return try body() } catch { throw PortalError(error) }
    }
}

extension TransferDesk {
    /// What a member that held a session leaves behind.
    func released(_ session: Int64) throws(StoreError) {
        defer { wakeOrOwe(session, after: .release) }
        // Another member may have opened the session meanwhile.
        if !holders.isHeld(session) { try book.removeIfEmpty(session: session) }
    }

    func status(of task: TaskSummary) -> TaskStatus {
        let progress = progress(of: task)
        let phase: TaskStatus.Phase =
            switch task.state {
            case .staging, .queued: .waiting
            case .running, .placing: .running
            case .suspended: .suspended
            case .ended: .ended
            }
        return TaskStatus(
            number: UInt64(clamping: task.number), isDownload: task.isDownload, phase: phase,
            sent: progress.sent, received: progress.received, expected: progress.expected)
    }
}
