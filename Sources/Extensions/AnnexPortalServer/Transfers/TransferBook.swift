internal import Synchronization

/// The limits of background transfers.
package enum TransferQuota {
    package static let sessionsOfGroup: Int64 = 16
    /// Tasks without an outcome, and outcomes that no process has taken note of.
    package static let tasksOfSession: Int64 = 64
    /// The URLs, headers, texts and paths of a group's tasks.
    package static let bytesOfGroup: Int64 = 8 << 20
    /// The answers of an app's tasks that no process has taken note of. Further ones are kept without body and headers.
    package static let answersOfApp: Int64 = 16 << 20
    /// An answer that is always kept, in bytes.
    static let shortAnswer = 256
}

/// The book of one user's background transfers: an SQLite database that only the user's broker opens.
///
/// The book decides. Each change is one transaction that survives a power failure. A change is in the book before any
/// process learns of it, and a task that has ended in the book changes no more. So each task has exactly one outcome,
/// whatever is killed and when.
package final class TransferBook: Sendable {
    private let store: OpenStore
    private let path: String
    private let onDamage: @Sendable (StoreError) -> Void
    /// The tasks whose rows are known to be damaged.
    private let damaged = Mutex<Set<Int64>>([])

    /// Opens the book. If it is missing, the call makes it.
    /// - Parameters:
    ///   - folder: the absolute path of a folder of this user, without links. The book is the file `store.db` in it.
    ///   - onDamage: called once for each row that cannot be read. The other rows are read all the same.
    package init(
        in folder: String, onDamage: @escaping @Sendable (StoreError) -> Void = { _ in }
    ) throws(StoreError) {
        path = folder + "/store.db"
        self.onDamage = onDamage
        store = try OpenStore(.transfers, at: path)
    }

    // MARK: Sessions

    /// The session of this group and identifier. If it is missing, the call makes it.
    /// - Throws: `full` if the group has too many sessions; `invalid` if the session belongs to another app.
    package func openSession(_ wish: SessionWish) throws(StoreError) -> BookedSession {
        try transact { (database) throws(StoreError) in
            if let found = try Self.session(wish.identifier, of: wish.group, in: &database) {
                guard found.app == wish.app else {
                    throw StoreError(
                        .invalid, what: "the session \(wish.identifier) belongs to \(found.app)",
                        remedy: "choose another identifier")
                }
                try database.run(
                    "UPDATE session SET seconds = ?2, discretionary = ?3 WHERE number = ?1",
                    with: [
                        .number(found.number), .number(Int64(wish.seconds)), .number(wish.isDiscretionary ? 1 : 0),
                    ])
            } else {
                try Self.add(wish, to: &database)
            }
            guard let session = try Self.session(wish.identifier, of: wish.group, in: &database) else {
                throw StoreError(.system, what: "the session was not stored", place: path)
            }
            return session
        }
    }

    private static func add(_ wish: SessionWish, to database: inout Database) throws(StoreError) {
        let count = try database.number(
            "SELECT count(*) FROM session WHERE team = ?1 AND grp = ?2",
            with: [.text(wish.group.team), .text(wish.group.identifier)])
        guard count ?? 0 < TransferQuota.sessionsOfGroup else {
            throw StoreError(
                .full, what: "the group has \(TransferQuota.sessionsOfGroup) background sessions",
                remedy: "use one session for several transfers, and invalidate sessions that are done")
        }
        try database.run(
            """
            INSERT INTO session (team, grp, identifier, app, seconds, discretionary, woken)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)
            """,
            with: [
                .text(wish.group.team), .text(wish.group.identifier), .text(wish.identifier), .text(wish.app),
                .number(Int64(wish.seconds)), .number(wish.isDiscretionary ? 1 : 0),
            ])
    }

    private static func session(
        _ identifier: String, of group: GroupKey, in database: inout Database
    ) throws(StoreError) -> BookedSession? {
        var found: BookedSession?
        try database.run(
            """
            SELECT number, team, grp, identifier, app, seconds, discretionary FROM session
            WHERE team = ?1 AND grp = ?2 AND identifier = ?3
            """,
            with: [.text(group.team), .text(group.identifier), .text(identifier)]
        ) { row in found = BookedSession(row) }
        return found
    }

    package func session(_ identifier: String, of group: GroupKey) throws(StoreError) -> BookedSession? {
        try store.use { (database) throws(StoreError) in try Self.session(identifier, of: group, in: &database) }
    }

    package func session(_ number: Int64) throws(StoreError) -> BookedSession? {
        try store.use { (database) throws(StoreError) in
            var found: BookedSession?
            try database.run(
                """
                SELECT number, team, grp, identifier, app, seconds, discretionary FROM session WHERE number = ?1
                """, with: [.number(number)]
            ) { row in found = BookedSession(row) }
            return found
        }
    }

    package func sessions() throws(StoreError) -> [BookedSession] {
        try store.use { (database) throws(StoreError) in
            var found: [BookedSession] = []
            try database.run(
                """
                SELECT number, team, grp, identifier, app, seconds, discretionary FROM session ORDER BY number
                """
            ) { row in found.append(BookedSession(row)) }
            return found
        }
    }

    /// Removes a session that has no task.
    package func removeIfEmpty(session number: Int64) throws(StoreError) {
        try transact { (database) throws(StoreError) in
            try database.run(
                "DELETE FROM session WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM task WHERE session = ?1)",
                with: [.number(number)])
        }
    }

    /// Decides whether to start the app of a session. If so, the start is in the book when the call returns.
    package func wake(
        session number: Int64, after change: WakeRule.Change, isHeld: Bool
    ) throws(StoreError) -> BookedSession? {
        guard let session = try session(number) else { return nil }
        return try transact { (database) throws(StoreError) in
            let values: [SQLValue] = [.number(number), .number(TaskState.ended.rawValue)]
            let live = try database.number(
                "SELECT count(*) FROM task WHERE session = ?1 AND state != ?2", with: values)
            let unnoted = try database.number(
                "SELECT count(*) FROM task WHERE session = ?1 AND state = ?2", with: values)
            let woken = try database.number("SELECT woken FROM session WHERE number = ?1", with: [.number(number)])
            guard
                WakeRule.mustWake(
                    after: change, live: live ?? 0, unnoted: unnoted ?? 0, isHeld: isHeld, woken: woken ?? 0)
            else { return nil }
            try database.run("UPDATE session SET woken = woken + 1 WHERE number = ?1", with: [.number(number)])
            return session
        }
    }

    /// Takes note of outcomes: their rows go.
    /// - Parameters:
    ///   - tasks: the tasks whose outcomes a process knows. Tasks that go on are left as they are.
    ///   - isLast: whether the app has finished its work on the session's outcomes, so that its starts are forgotten.
    package func note(_ tasks: [Int64], of session: Int64, isLast: Bool = false) throws(StoreError) {
        var ended: [BookedTask] = []
        for number in Set(tasks).sorted().prefix(Int(TransferQuota.tasksOfSession)) {
            if let task = try task(number), task.session == session, task.state == .ended { ended.append(task) }
        }
        try transact { (database) throws(StoreError) in
            for task in ended {
                try closeReceipts(of: task, with: task.report(after: task.progress), in: &database)
                try database.run("DELETE FROM task WHERE number = ?1", with: [.number(task.number)])
            }
            guard isLast else { return }
            try database.run("UPDATE session SET woken = 0 WHERE number = ?1", with: [.number(session)])
        }
    }

    // MARK: Helpers

    /// Runs one transaction that survives a power failure.
    func transact<Result: Sendable>(
        _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try store.use { (database) throws(StoreError) in try database.transaction(as: .durable, body) }
    }

    func read<Result: Sendable>(
        _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result { try store.use(body) }

    /// The tasks of the rows that can be read.
    func decoded(_ rows: [TaskRow]) -> [BookedTask] {
        rows.compactMap { row in
            do throws(StoreError) {
                return try row.task(in: path)
            } catch {
                if damaged.withLock({ $0.insert(row.number).inserted }) { onDamage(error) }
                return nil
            }
        }
    }
}

/// The session that a member opens.
package struct SessionWish: Sendable, Hashable {
    package let group: GroupKey
    package let identifier: String
    package let app: String
    package let seconds: UInt32
    package let isDiscretionary: Bool

    package init(group: GroupKey, identifier: String, app: String, seconds: UInt32, isDiscretionary: Bool) {
        self.group = group
        self.identifier = identifier
        self.app = app
        self.seconds = seconds
        self.isDiscretionary = isDiscretionary
    }
}
