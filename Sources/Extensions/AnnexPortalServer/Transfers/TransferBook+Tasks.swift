package import AnnexLinux
internal import AnnexMessages
internal import AnnexPortal
package import AnnexTransferWire

extension TransferBook {
    // MARK: Reading

    /// The task of this number; nil also if its row is damaged.
    package func task(_ number: Int64) throws(StoreError) -> BookedTask? {
        let rows = try read { (database) throws(StoreError) in
            var found: [TaskRow] = []
            try database.run(
                """
                SELECT number, session, state, member, job, files, attempt, failures, due, expires, boot, validator,
                    sent, received, expected, failure, answer, promised, needed
                FROM task WHERE number = ?1
                """, with: [.number(number)]
            ) { found.append(TaskRow($0)) }
            return found
        }
        return decoded(rows).first
    }

    /// All tasks, or those of one session, in the order in which they began. Rows that are damaged are left out.
    package func tasks(of session: Int64? = nil) throws(StoreError) -> [BookedTask] {
        let rows = try read { (database) throws(StoreError) in
            var found: [TaskRow] = []
            try database.run(
                """
                SELECT number, session, state, member, job, files, attempt, failures, due, expires, boot, validator,
                    sent, received, expected, failure, answer, promised, needed
                FROM task WHERE ?1 IS NULL OR session = ?1 ORDER BY number
                """,
                with: [session.map { .number($0) } ?? .null]
            ) { found.append(TaskRow($0)) }
            return found
        }
        return decoded(rows)
    }

    // MARK: Beginning

    /// Stores a new task, whose files are not staged yet.
    /// - Throws: `full` if the session has too many tasks, or if the tasks of the group are too large together.
    package func add(
        _ job: TransferJob, files: [String], to session: BookedSession, by member: String, at now: WallClock
    ) throws(StoreError) -> Int64 {
        let (stored, names) = (try Self.bytes(job), try Self.bytes(NameList(names: files)))
        return try transact { (database) throws(StoreError) in
            let known = try database.number("SELECT 1 FROM session WHERE number = ?1", with: [.number(session.number)])
            guard known != nil else {
                throw StoreError(
                    .notFound, what: "the session \(session.identifier) was removed", remedy: "open it again")
            }
            let count = try database.number(
                "SELECT count(*) FROM task WHERE session = ?1", with: [.number(session.number)])
            guard count ?? 0 < TransferQuota.tasksOfSession else {
                throw StoreError(
                    .full, what: "the session has \(TransferQuota.tasksOfSession) tasks",
                    remedy: "begin more tasks when some have ended, and take note of outcomes")
            }
            try Self.checkRoom(for: stored.count + names.count, of: session.group, in: &database)
            let expires = now.microseconds &+ Int64(session.seconds) * 1_000_000
            try database.run(
                """
                INSERT INTO task
                    (session, state, member, job, files, attempt, failures, due, expires, boot, sent, received,
                    promised, needed, download, discretionary)
                VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, 0, ?6, '', 0, 0, 0, 0, ?7, ?8)
                """,
                with: [
                    .number(session.number), .number(TaskState.staging.rawValue), .text(member), .bytes(stored),
                    .bytes(names), .number(expires), .number(job.work.isDownload ? 1 : 0),
                    .number(job.isDiscretionary ? 1 : 0),
                ])
            return try database.number("SELECT last_insert_rowid()") ?? 0
        }
    }

    private static func checkRoom(
        for bytes: Int, of group: GroupKey, in database: inout Database
    ) throws(StoreError) {
        let stored = try database.number(
            """
            SELECT sum(length(job) + length(files)) FROM task
            WHERE session IN (SELECT number FROM session WHERE team = ?1 AND grp = ?2)
            """, with: [.text(group.team), .text(group.identifier)])
        guard (stored ?? 0) <= TransferQuota.bytesOfGroup - Int64(bytes) else {
            throw StoreError(
                .full, what: "the group's tasks have texts of more than \(ByteCount(TransferQuota.bytesOfGroup))",
                remedy: "begin more tasks when some have ended, take note of outcomes, and send long texts as files")
        }
    }

    /// Stores that the files of a task are staged.
    /// - Parameter job: the job with the sizes of the staged files.
    package func staged(_ number: Int64, as job: TransferJob) throws(StoreError) {
        let job = try Self.bytes(job)
        _ = try change(number, after: .staged) { (database) throws(StoreError) in
            try database.run("UPDATE task SET job = ?2 WHERE number = ?1", with: [.number(number), .bytes(job)])
        }
    }

    /// Removes a task of which no process knows, because its files were never staged.
    package func withdraw(_ number: Int64) throws(StoreError) {
        try transact { (database) throws(StoreError) in
            try database.run(
                "DELETE FROM task WHERE number = ?1 AND state = ?2",
                with: [.number(number), .number(TaskState.staging.rawValue)])
        }
    }

    private static func bytes(_ message: some Message) throws(StoreError) -> [UInt8] {
        do throws(EncodingFailure) {
            return try message.encoded(within: TransferLimits.message)
        } catch {
            throw StoreError(
                .invalid, what: "the transfer is too large: \(error)", remedy: "use fewer or shorter parts")
        }
    }

    // MARK: Changes

    /// Changes the state of a task after an event, together with further changes of its row.
    /// - Parameter attempt: the attempt that the event is about; nil for an event about the task.
    /// - Returns: false if the event changes nothing, because of the task's state or because the attempt is over.
    @discardableResult
    package func change(
        _ number: Int64, after event: TaskEvent, of attempt: UInt32? = nil
    ) throws(StoreError) -> Bool { try change(number, after: event, of: attempt) { _ in } }

    private func change(
        _ number: Int64, after event: TaskEvent, of attempt: UInt32? = nil,
        _ body: (inout Database) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        try transact { (database) throws(StoreError) in
            var found: (state: TaskState?, attempt: Int64)?
            try database.run("SELECT state, attempt FROM task WHERE number = ?1", with: [.number(number)]) { row in
                found = (TaskState(rawValue: row.number(0)), row.number(1))
            }
            guard let found, attempt == nil || attempt.map(Int64.init) == found.attempt,
                let next = found.state?.next(after: event)
            else { return false }
            try database.run(
                "UPDATE task SET state = ?2 WHERE number = ?1", with: [.number(number), .number(next.rawValue)])
            try body(&database)
            return true
        }
    }

    /// Gives a queued task to the agent, as a new attempt.
    /// - Parameters:
    ///   - boot: the start of the machine. Bytes that were received before the machine stopped may not be on the disk,
    ///     so the attempt begins anew after another start.
    ///   - promised: the most bytes that the file of a download may have.
    /// - Returns: the task with the key of the attempt; nil if the task is not queued any more.
    package func take(
        _ number: Int64, boot: String, promising promised: UInt64
    ) throws(StoreError) -> BookedTask? {
        let isTaken = try change(number, after: .taken) { (database) throws(StoreError) in
            try database.run(
                """
                UPDATE task SET attempt = attempt + 1, validator = iif(boot = ?2, validator, NULL), boot = ?2,
                    promised = ?3
                WHERE number = ?1
                """,
                with: [.number(number), .text(boot), .number(Int64(clamping: promised))])
        }
        return isTaken ? try task(number) : nil
    }

    /// Puts a task back, for another attempt at a later time.
    /// - Parameters:
    ///   - failure: why the attempt failed; nil if that is not known.
    ///   - needed: the least size of the whole file of a download, as far as the attempt has shown it.
    package func giveBack(
        _ key: TransferKey, until due: WallClock, failed: Bool, because failure: String? = nil,
        needing needed: UInt64 = 0
    ) throws(StoreError) {
        let number = Int64(clamping: key.task)
        _ = try change(number, after: .returned, of: key.attempt) { (database) throws(StoreError) in
            try database.run(
                """
                UPDATE task SET due = ?2, failures = failures + ?3, needed = max(needed, ?4),
                    failure = ifnull(?5, failure) WHERE number = ?1
                """,
                with: [
                    .number(number), .number(due.microseconds), .number(failed ? 1 : 0),
                    .number(Int64(clamping: needed)), failure.map { .text($0) } ?? .null,
                ])
        }
    }

    /// Lets a queued task begin its next attempt now.
    /// - Returns: false if the task is not queued.
    package func hurry(_ number: Int64) throws(StoreError) -> Bool {
        try transact { (database) throws(StoreError) in
            try database.run(
                "UPDATE task SET due = 0 WHERE number = ?1 AND state = ?2",
                with: [.number(number), .number(TaskState.queued.rawValue)])
            return database.changedRows > 0
        }
    }

    /// Stores what a resumed attempt needs.
    /// - Parameters:
    ///   - resets: whether the attempt has reached the server, so that the next pause is short.
    ///   - size: the size of the whole file, so that no more room is promised to it; 0 if it is not known.
    package func setValidator(
        _ validator: TransferValidator?, of key: TransferKey, resets: Bool, size: UInt64 = 0
    ) throws(StoreError) {
        let value: SQLValue = try validator.map { (some) throws(StoreError) in .bytes(try Self.bytes(some)) } ?? .null
        try transact { (database) throws(StoreError) in
            try database.run(
                """
                UPDATE task SET validator = ?3, failures = iif(?4, 0, failures),
                    promised = iif(?5 > 0, min(promised, ?5), promised), needed = iif(?5 > 0, ?5, needed)
                WHERE number = ?1 AND attempt = ?2
                """,
                with: [
                    .number(Int64(clamping: key.task)), .number(Int64(key.attempt)), value, .number(resets ? 1 : 0),
                    .number(Int64(clamping: size)),
                ])
        }
    }

    // MARK: Ending

    /// Stores that the file of a download is whole, with the outcome that the task has once the file is in its place.
    package func markWhole(
        _ key: TransferKey, with outcome: TaskOutcome, after progress: TaskProgress
    ) throws(StoreError) -> Bool {
        try store(outcome, progress: progress, of: Int64(clamping: key.task), after: .whole, of: key.attempt)
    }

    /// Ends a task whose file is in its place.
    /// - Parameter failure: why the file could not come to its place.
    package func placed(_ number: Int64, failure: TaskFailure? = nil) throws(StoreError) -> Bool {
        try change(number, after: .placed) { (database) throws(StoreError) in
            guard let failure else { return }
            try database.run(
                "UPDATE task SET failure = ?2 WHERE number = ?1", with: [.number(number), .text(failure.rawValue)])
        }
    }

    /// Ends a task with an outcome.
    /// - Parameter attempt: the attempt that the outcome is of; nil if it is of none.
    /// - Returns: false if the task has an outcome already, or if the attempt is over.
    package func end(
        _ number: Int64, with outcome: TaskOutcome, after progress: TaskProgress? = nil, of attempt: UInt32? = nil
    ) throws(StoreError) -> Bool {
        try store(outcome, progress: progress, of: number, after: .finished, of: attempt)
    }

    /// Ends a task whose row is damaged, so that its session comes to an end. What the row says about the transfer goes.
    func endDamaged(_ number: Int64) throws(StoreError) {
        let none = TransferJob(
            key: TransferKey(task: 0, attempt: 0), method: .get, url: "damaged:",
            work: .download(TransferDownload(mostBytes: 0)))
        let (job, files) = (try Self.bytes(none), try Self.bytes(NameList(names: [])))
        try transact { (database) throws(StoreError) in
            try database.run(
                """
                UPDATE task SET state = ?2, failure = ?3, job = ?4, files = ?5, validator = NULL, answer = NULL
                WHERE number = ?1
                """,
                with: [
                    .number(number), .number(TaskState.ended.rawValue), .text(TaskFailure.damaged.rawValue),
                    .bytes(job), .bytes(files),
                ])
        }
    }

    private func store(
        _ outcome: TaskOutcome, progress: TaskProgress?, of number: Int64, after event: TaskEvent,
        of attempt: UInt32?
    ) throws(StoreError) -> Bool {
        // An outcome without the body or the headers of its answer is better than none.
        for answer in outcome.answer?.cuts.dropLast() ?? [] {
            do throws(StoreError) {
                let cut = TaskOutcome(outcome.failure, answer: answer)
                return try storeWhole(cut, progress: progress, of: number, after: event, of: attempt)
            } catch {
                guard error.kind == .full else { throw error }
            }
        }
        let rest = TaskOutcome(outcome.failure, answer: outcome.answer?.cuts.last)
        return try storeWhole(rest, progress: progress, of: number, after: event, of: attempt)
    }

    private func storeWhole(
        _ outcome: TaskOutcome, progress: TaskProgress?, of number: Int64, after event: TaskEvent,
        of attempt: UInt32?
    ) throws(StoreError) -> Bool {
        let answer = try outcome.answer.map { (some) throws(StoreError) in try Self.bytes(some) }
        return try change(number, after: event, of: attempt) { (database) throws(StoreError) in
            if let answer { try Self.checkAnswers(of: number, with: answer.count, in: &database) }
            try database.run(
                "UPDATE task SET failure = ?2, answer = ?3 WHERE number = ?1",
                with: [
                    .number(number), outcome.failure.map { .text($0) } ?? .null, answer.map { .bytes($0) } ?? .null,
                ])
            guard let progress else { return }
            try database.run(
                "UPDATE task SET sent = ?2, received = ?3, expected = ?4 WHERE number = ?1",
                with: [
                    .number(number), .number(Int64(clamping: progress.sent)),
                    .number(Int64(clamping: progress.received)),
                    progress.expected.map { .number(Int64(clamping: $0)) } ?? .null,
                ])
        }
    }

    /// One app must not fill the book of all apps with answers that no process takes note of. A short answer always has
    /// room.
    private static func checkAnswers(
        of number: Int64, with count: Int, in database: inout Database
    ) throws(StoreError) {
        guard count > TransferQuota.shortAnswer else { return }
        let stored = try database.number(
            """
            SELECT ifnull(sum(length(answer)), 0) FROM task JOIN session ON session.number = task.session
            WHERE session.app = (
                SELECT session.app FROM task JOIN session ON session.number = task.session WHERE task.number = ?1)
            """, with: [.number(number)])
        guard (stored ?? 0) + Int64(count) > TransferQuota.answersOfApp else { return }
        throw StoreError(.full, what: "the answers of an app have \(TransferQuota.answersOfApp) bytes")
    }
}

extension TransferAnswer {
    /// This answer, the same one without its body, and its status alone.
    fileprivate var cuts: [TransferAnswer] {
        let bare = TransferAnswer(
            status: status, headers: headers, headersWereCut: headersWereCut, bodyWasCut: bodyWasCut || !body.isEmpty)
        let short = TransferAnswer(
            status: status, headers: [], headersWereCut: headersWereCut || !headers.isEmpty,
            bodyWasCut: bare.bodyWasCut)
        return [self, bare, short]
    }
}
