package import AnnexLinux
package import AnnexPortal
package import AnnexTransferWire
internal import Synchronization

/// The steps at which a process that is killed leaves a task between two states. Tests kill a broker after each of them.
package enum TransferStep: Sendable, Hashable, CaseIterable {
    case added, taken, staged, given, returned, whole, placed, ended, removed, told, withdrawn, woken, noted
}

/// The part of a broker that moves bytes. The desk tells it about changes.
package protocol TransferMover: AnyObject, Sendable {
    /// There may be a task to give to the agent.
    func look()
    /// The agent must end an attempt.
    func stop(_ key: TransferKey, as stop: TransferStop)
}

/// Begins, changes and ends the tasks of one user's background sessions.
///
/// Each change follows one order: first the book, then the files, then the news. If the broker is killed between two of
/// these steps, `recover` finishes what the book says. The functions wait for the disk. Call them in a row of a lane.
package final class TransferDesk: Sendable {
    /// Opens the group of a session.
    package typealias GroupOpener = @Sendable (GroupKey) throws(PortalError) -> OpenGroup

    package let book: TransferBook
    private let opener: GroupOpener
    /// Called after each step.
    let step: @Sendable (TransferStep) -> Void
    let counter: Counter
    /// The members that get news of sessions.
    let holders = SessionHolders()
    /// The bytes that the agent has moved in running tasks. After a restart of the broker, they are known again with the
    /// agent's next message.
    let moved = Mutex<[Int64: TaskProgress]>([:])
    /// The tasks whose files this process takes over now.
    let beginnings = Mutex<Set<Int64>>([])
    /// Whether `recover` has finished in this process.
    let recovery = Mutex(false)
    let wakings = Mutex(Wakings())
    private let connections = Mutex(Connections())

    private struct Connections: Sendable {
        weak var mover: (any TransferMover)?
        /// Why a member may not reach the machine of a URL; nil if it may.
        var refusal: (@Sendable (_ url: String, _ member: String) -> PortalError?)?
        /// Starts the app of a session.
        var starter: (@Sendable (BookedSession) -> Void)?
    }

    /// - Parameters:
    ///   - counter: counts the bytes of a group's folders.
    ///   - step: called after each step.
    package init(
        _ book: TransferBook, counter: @escaping Counter, step: @escaping @Sendable (TransferStep) -> Void = { _ in },
        opener: @escaping GroupOpener
    ) {
        self.book = book
        self.counter = counter
        self.step = step
        self.opener = opener
    }

    /// Sets the parts that move bytes and start apps.
    /// - Parameter refusal: why a member may not reach the machine of a URL; nil if it may.
    package func connect(
        to mover: any TransferMover,
        refusing refusal: @escaping @Sendable (_ url: String, _ member: String) -> PortalError?,
        starter: @escaping @Sendable (BookedSession) -> Void
    ) {
        connections.withLock { connections in
            connections.mover = mover
            connections.refusal = refusal
            connections.starter = starter
        }
    }

    var mover: (any TransferMover)? { connections.withLock { $0.mover } }

    // MARK: Beginning

    /// Begins a task. When the call returns, the task survives the member and the broker.
    /// - Parameters:
    ///   - files: paths in the container: one for each file of an upload, or the one of a download.
    ///   - room: the most bytes that the files of the group may have, those of all its transfers included.
    ///   - check: throws an error if the member may not transfer. The files of a large upload take their time, so this
    ///     is asked when they are staged. They go back to the container then.
    package func begin(
        _ job: TransferJob, files: [String], in session: BookedSession, by member: String, room: UInt64,
        check: () throws(PortalError) -> Void = {}
    ) throws(PortalError) -> Int64 {
        let refusal = connections.withLock { $0.refusal }
        if let refusal = refusal?(job.url, member) { throw refusal }
        func checkAgain() throws(PortalError) {
            try check()
            if let refusal = refusal?(job.url, member) { throw refusal }
        }
        let group = try opener(session.group)
        let number = try asMember { () throws(StoreError) in
            try beginnings.withLock { (beginnings) throws(StoreError) in
                let number = try book.add(job, files: files, to: session, by: member, at: .now())
                beginnings.insert(number)
                return number
            }
        }
        defer { _ = beginnings.withLock { $0.remove(number) } }
        step(.added)
        let staging = TransferStaging(of: number, session: session.identifier, in: group)
        do throws(PortalError) {
            var sizes: [UInt64] = []
            if !job.work.isDownload {
                let most = try asMember { () throws(StoreError) in
                    try self.room(for: files, to: staging, within: room)
                }
                sizes = try staging.take(files, atMost: most)
            }
            step(.taken)
            try checkAgain()
            try asMember { () throws(StoreError) in
                guard try book.task(number)?.state == .staging else {
                    throw StoreError(
                        .notFound, what: "the task was removed while its files were taken", remedy: "begin it again")
                }
                try book.staged(number, as: job.with(job.work.with(sizes: sizes)))
            }
        } catch {
            // If the files cannot go back now, the mover tries it again.
            defer {
                _ = beginnings.withLock { $0.remove(number) }
                mover?.look()
            }
            guard staging.restore(job.work.isDownload ? [] : files) else { throw error }
            try? book.withdraw(number)
            step(.withdrawn)
            throw error
        }
        step(.staged)
        try review(number, by: checkAgain)
        mover?.look()
        return number
    }

    /// Ends a task that is not allowed any more. A review of all tasks passes over those that are being staged, so the
    /// member may have lost a grant between the last check and the end of the staging.
    private func review(_ number: Int64, by check: () throws(PortalError) -> Void) throws(PortalError) {
        do throws(PortalError) {
            try check()
        } catch {
            try asMember { () throws(StoreError) in
                if let task = try book.task(number) { try end(task, as: .revoked) }
            }
            throw error
        }
    }

    // MARK: Ending

    /// Ends a task with an outcome that is not the server's.
    /// - Returns: false if the task has an outcome already.
    @discardableResult
    package func end(_ task: BookedTask, as failure: TaskFailure) throws(StoreError) -> Bool {
        guard try book.end(task.number, with: TaskOutcome(failure), after: progress(of: task)) else { return false }
        step(.ended)
        mover?.stop(task.key, as: .cancel)
        finish(task)
        return true
    }

    /// Ends the attempt of a task with what the agent reports.
    package func ended(_ end: TransferEnd) throws(StoreError) {
        guard let task = try book.task(Int64(clamping: end.key.task)), task.key == end.key else { return }
        let progress = TaskProgress(sent: end.sent, received: end.received, expected: self.progress(of: task).expected)
        let needed = try needed(by: task, after: end)
        if let pause = TransferPause(after: end, failures: task.failures, isCrowded: needed != nil) {
            try book.setValidator(end.validator, of: end.key, resets: false)
            try book.giveBack(
                end.key, until: pause.due(from: .now()), failed: pause.isFailure,
                because: end.error?.name ?? end.answer.map { "status \($0.status)" }, needing: needed ?? 0)
            step(.returned)
            return tell(task.session)
        }
        let outcome = TaskOutcome(end.error?.name, answer: end.answer)
        if task.job.work.isDownload, end.isSuccess {
            guard try book.markWhole(end.key, with: outcome, after: progress) else { return }
            step(.whole)
            return try place(task, isAgain: false)
        }
        guard try book.end(task.number, with: outcome, after: progress, of: end.key.attempt) else { return }
        step(.ended)
        finish(task)
    }

    /// Puts the file of a download in its place, and ends the task.
    func place(_ task: BookedTask, isAgain: Bool) throws(StoreError) {
        var failure: TaskFailure? = .notPlaced
        if let staging = try staging(of: task), let path = task.files.first {
            do throws(SystemError) {
                if try staging.place(at: path, atMost: task.promised, isAgain: isAgain) { failure = nil }
            } catch {
                // For example, the disk is full or the process lacks descriptors. The task stays as it is, and
                // `settle` tries again.
                throw StoreError(.system, what: "the file of task \(task.number) cannot be placed: \(error.cause)")
            }
        }
        step(.placed)
        guard try book.placed(task.number, failure: failure) else { return }
        step(.ended)
        finish(task)
    }

    /// Removes the files of a task that has ended, and tells of the end.
    func finish(_ task: BookedTask) {
        moved.withLock { $0[task.number] = nil }
        // Files that stay are removed when the broker starts the next time.
        try? staging(of: task)?.remove()
        step(.removed)
        tell(task.session)
        step(.told)
        wakeOrOwe(task.session, after: .outcome)
        mover?.look()
    }

    /// - Returns: nil if the session is not in the book.
    package func staging(of task: BookedTask) throws(StoreError) -> TransferStaging? {
        guard let session = try book.session(task.session) else { return nil }
        do throws(PortalError) {
            return TransferStaging(of: task.number, session: session.identifier, in: try opener(session.group))
        } catch {
            throw StoreError(.system, what: "the group of task \(task.number) cannot be opened: \(error.what)")
        }
    }

    // MARK: News

    /// Records how many bytes of a running task have moved.
    package func note(_ progress: TaskProgress, of task: BookedTask) {
        moved.withLock { $0[task.number] = progress }
        holders.tellOfProgress(task.session)
    }

    package func progress(of task: BookedTask) -> TaskProgress {
        task.state == .ended ? task.progress : moved.withLock { $0[task.number] } ?? task.progress
    }

    func progress(of task: TaskSummary) -> TaskProgress {
        task.state == .ended ? task.progress : moved.withLock { $0[task.number] } ?? task.progress
    }

    private func tell(_ session: Int64) { holders.tell(session) }

    /// Starts the app of a session.
    func start(_ session: BookedSession) {
        step(.woken)
        connections.withLock { $0.starter }?(session)
    }

    // MARK: Recovery

    /// Finishes what an earlier broker began. Call this function once, before any other.
    /// - Returns: what could not be finished. `settle` tries it again.
    package func recover() throws(StoreError) -> [StoreError] {
        var failures: [StoreError] = []
        for number in try book.numbers() {
            do throws(StoreError) { try recover(number) } catch { failures.append(error) }
        }
        for session in try book.sessions() {
            do throws(StoreError) {
                try book.removeIfEmpty(session: session.number)
            } catch {
                failures.append(error)
            }
            wakeOrOwe(session.number, after: .outcome)
        }
        return failures
    }

    func recover(_ number: Int64) throws(StoreError) {
        if try book.task(number) == nil { try book.endDamaged(number) }
        guard let task = try book.task(number) else { return }
        switch task.state {
        case .staging:
            let files = task.job.work.isDownload ? [] : task.files
            guard try staging(of: task)?.restore(files) ?? true else {
                throw StoreError(.system, what: "the files of task \(number) cannot go back to their container")
            }
            try book.withdraw(number)
            step(.withdrawn)
        case .running:
            try book.giveBack(task.key, until: .now(), failed: false)
            step(.returned)
        case .placing: try place(task, isAgain: true)
        case .ended: try staging(of: task)?.remove()
        case .queued, .suspended: break
        }
    }

    private func asMember<Result>(_ body: () throws(StoreError) -> Result) throws(PortalError) -> Result {
        do throws(StoreError) { return try body() } catch { throw PortalError(error) }
    }
}

extension TransferEnd {
    /// Whether the server's answer arrived whole and is a success.
    fileprivate var isSuccess: Bool {
        guard error == nil, let answer else { return false }
        return (200...299).contains(answer.status)
    }
}

extension TransferWork {
    /// The same work with the sizes of the files that were staged, in the order of the files.
    fileprivate func with(sizes: [UInt64]) -> TransferWork {
        var rest = sizes[...]
        switch self {
        case .download: return self
        case .upload: return .upload(size: rest.popFirst() ?? 0)
        case .form(let parts):
            return .form(
                parts.map { part in
                    guard part.size != nil, let size = rest.popFirst() else { return part }
                    return TransferPart(name: part.name, fileName: part.fileName, type: part.type, size: size)
                })
        }
    }
}

/// The pause before the next attempt of a task.
package struct TransferPause: Sendable, Hashable {
    private static let shortest: Int64 = 1
    private static let longest: Int64 = 15 * 60

    /// The shortest pause, in seconds.
    package let seconds: Int64
    /// Whether the attempt failed, so that the next pause is longer.
    package let isFailure: Bool

    /// - Parameters:
    ///   - failures: how many attempts have failed before, one after another.
    ///   - isCrowded: whether a further attempt makes sense, because other downloads had the room.
    /// - Returns: nil if there is no further attempt.
    package init?(after end: TransferEnd, failures: Int64, isCrowded: Bool = false) {
        switch end.error {
        case .cancelled: return nil
        // The agent may say so without a cause. If the broker had suspended the task, it would not run any more.
        case .suspended, .busy: (seconds, isFailure) = (Self.later(after: failures), true)
        default:
            switch end.retry {
            case .never where !isCrowded: return nil
            case .never, .later: seconds = Self.later(after: failures)
            case .after(let wish): seconds = max(Int64(wish), Self.shortest)
            }
            isFailure = true
        }
    }

    private static func later(after failures: Int64) -> Int64 { min(shortest << min(failures, 10), longest) }

    /// The time of the next attempt, up to a half later than the pause says, so that many tasks do not begin at once.
    package func due(from now: WallClock) -> WallClock {
        let least = seconds * 1_000_000
        return WallClock(microseconds: now.microseconds &+ least &+ Int64.random(in: 0...(least / 2)))
    }
}
