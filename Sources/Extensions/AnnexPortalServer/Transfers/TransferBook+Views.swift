package import AnnexLinux
internal import AnnexTransferWire

/// A task that waits for an attempt.
package struct WaitingTask: Sendable, Hashable {
    package let number: Int64
    package let session: Int64
    package let isDiscretionary: Bool

    package init(number: Int64, session: Int64, isDiscretionary: Bool) {
        (self.number, self.session, self.isDiscretionary) = (number, session, isDiscretionary)
    }
}

/// The tasks that wait for an attempt.
package struct WaitingTasks: Sendable, Hashable {
    /// The tasks to begin now, in the order in which they began. Of each app's tasks there are at most as many as an agent
    /// can have; discretionary ones are among them only if the app has no more others.
    package var due: [WaitingTask] = []
    /// When a further task is to begin; nil if none waits for its time.
    package var next: WallClock?
    /// Whether a task has no outcome yet.
    package var hasWork = false
}

/// Reads that load no more than their callers need. A task can have 160 KiB of texts and of answer.
extension TransferBook {
    /// Whether a task has no outcome yet.
    package func hasWork() throws(StoreError) -> Bool {
        try read { (database) throws(StoreError) in try Self.hasWork(in: &database) }
    }

    private static func hasWork(in database: inout Database) throws(StoreError) -> Bool {
        try database.number(
            "SELECT 1 FROM task WHERE state != ?1 LIMIT 1", with: [.number(TaskState.ended.rawValue)]) != nil
    }

    /// The tasks that wait for an attempt.
    package func waiting(at now: WallClock) throws(StoreError) -> WaitingTasks {
        try read { (database) throws(StoreError) in
            var found = WaitingTasks()
            let values: [SQLValue] = [.number(TaskState.queued.rawValue), .number(now.microseconds)]
            try database.run(
                """
                SELECT number, session, late FROM (
                    SELECT task.number AS number, task.session AS session, task.discretionary AS late, row_number() OVER (
                        PARTITION BY session.app ORDER BY task.discretionary, task.number) AS turn
                    FROM task JOIN session ON session.number = task.session
                    WHERE task.state = ?1 AND task.due <= ?2)
                WHERE turn <= ?3 ORDER BY number
                """, with: values + [.number(Int64(TransferLimits.jobs))]
            ) { row in
                let isDiscretionary = row.number(2) != 0
                found.due.append(
                    WaitingTask(number: row.number(0), session: row.number(1), isDiscretionary: isDiscretionary))
            }
            found.next = try database.number("SELECT min(due) FROM task WHERE state = ?1 AND due > ?2", with: values)
                .flatMap { $0 == 0 ? nil : WallClock(microseconds: $0) }
            found.hasWork = try Self.hasWork(in: &database)
            return found
        }
    }

    /// The tasks between two states: their files are being taken or placed, or an agent has them.
    func unsettled() throws(StoreError) -> [(key: TransferKey, state: TaskState)] {
        let states: [TaskState] = [.staging, .running, .placing]
        return try read { (database) throws(StoreError) in
            var found: [(key: TransferKey, state: TaskState)] = []
            try database.run(
                "SELECT number, attempt, state FROM task WHERE state IN (?1, ?2, ?3) ORDER BY number",
                with: states.map { .number($0.rawValue) }
            ) { row in
                guard let state = TaskState(rawValue: row.number(2)) else { return }
                let key = TransferKey(task: UInt64(clamping: row.number(0)), attempt: UInt32(clamping: row.number(1)))
                found.append((key, state))
            }
            return found
        }
    }

    /// The next tasks after a number, in the order in which they began.
    package func tasks(after last: Int64, atMost most: Int) throws(StoreError) -> [BookedTask] {
        let rows = try read { (database) throws(StoreError) in
            var found: [TaskRow] = []
            try database.run(
                """
                SELECT number, session, state, member, job, files, attempt, failures, due, expires, boot, validator,
                    sent, received, expected, failure, answer, promised, needed
                FROM task WHERE number > ?1 ORDER BY number LIMIT ?2
                """, with: [.number(last), .number(Int64(most))]
            ) { found.append(TaskRow($0)) }
            return found
        }
        return decoded(rows)
    }

    /// The numbers of all tasks, in the order in which they began.
    func numbers() throws(StoreError) -> [Int64] {
        try read { (database) throws(StoreError) in
            var found: [Int64] = []
            try database.run("SELECT number FROM task ORDER BY number") { found.append($0.number(0)) }
            return found
        }
    }

    /// The tasks of a session that its members know, in the order in which they began.
    func summaries(of session: Int64) throws(StoreError) -> [TaskSummary] {
        try read { (database) throws(StoreError) in
            var found: [TaskSummary] = []
            try database.run(
                """
                SELECT number, state, download, sent, received, expected FROM task
                WHERE session = ?1 AND state != ?2 ORDER BY number
                """, with: [.number(session), .number(TaskState.staging.rawValue)]
            ) { row in
                guard let state = TaskState(rawValue: row.number(1)) else { return }
                let progress = TaskProgress(
                    sent: row.count(3), received: row.count(4), expected: row.isNull(5) ? nil : row.count(5))
                found.append(
                    TaskSummary(
                        number: row.number(0), state: state, isDownload: row.number(2) != 0, progress: progress))
            }
            return found
        }
    }

    /// The tasks whose time is over, and when the next task's time is over.
    func expired(at now: WallClock) throws(StoreError) -> (over: [Int64], next: WallClock?) {
        try read { (database) throws(StoreError) in
            var over: [Int64] = []
            let values: [SQLValue] = [
                .number(TaskState.placing.rawValue), .number(TaskState.ended.rawValue), .number(now.microseconds),
            ]
            try database.run(
                "SELECT number FROM task WHERE state NOT IN (?1, ?2) AND expires <= ?3 ORDER BY number", with: values
            ) { over.append($0.number(0)) }
            let next = try database.number(
                "SELECT min(expires) FROM task WHERE state NOT IN (?1, ?2) AND expires > ?3", with: values)
            return (over, next.flatMap { $0 == 0 ? nil : WallClock(microseconds: $0) })
        }
    }
}
