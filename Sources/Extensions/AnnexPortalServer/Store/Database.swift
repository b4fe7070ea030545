internal import AnnexLinux
internal import CAnnexSQLite

/// The failures that a committed transaction survives. Every transaction survives the death of its process.
enum Durability: String {
    /// The transaction also survives a power failure: the commit waits for the disk.
    case durable = "FULL"
    /// After a power failure the last transactions may be missing. The earlier transactions are whole, because SQLite
    /// still syncs the log before it copies pages. With the setting `OFF`, SQLite would not sync, and a power failure
    /// could damage the file.
    case atomic = "NORMAL"
}

/// One connection to an SQLite database in WAL mode.
///
/// The file belongs to this user alone, but Annex does not trust it. SQLite runs in its defensive mode, without
/// triggers and views, without extensions, without attached files and without memory mapping of the file.
///
/// SAFETY: the connection has no mutex of its own. This value cannot be copied, and each use of it is a mutation. So
/// only one thread uses the value at a time, and another thread may use it later.
@safe struct Database: ~Copyable, @unchecked Sendable {
    /// How long a statement waits for another process, in milliseconds.
    private static let patience: Int32 = 10_000

    let path: String
    // SAFETY: SQLite made the object. This value closes the object once, at its own end.
    private let handle: OpaquePointer
    /// Prepared statements by their text. Every text is a constant of the program, so the number of statements is
    /// limited.
    private var statements: [String: SQLStatement] = [:]
    private var durability: Durability?

    /// Opens a database. The call writes nothing to the file, and follows no link on its path.
    /// - Parameter path: an absolute path. An empty file is a new database.
    static func open(_ path: String) throws(StoreError) -> Database {
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW
            | SQLITE_OPEN_EXRESCODE
        // SAFETY: the call stores one pointer, even if it fails.
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            let error = unsafe Self.error(code, of: opened, at: path)
            _ = unsafe sqlite3_close_v2(opened)
            throw error
        }
        var database = unsafe Database(owning: handle, at: path)
        try database.restrict()
        return database
    }

    private init(owning handle: OpaquePointer, at path: String) {
        self.path = path
        unsafe self.handle = handle
    }

    deinit {
        // If a statement still exists, SQLite keeps the connection open until that statement is finalised.
        _ = unsafe sqlite3_close_v2(handle)
    }

    private mutating func restrict() throws(StoreError) {
        _ = unsafe sqlite3_busy_timeout(handle, Self.patience)
        // Until the file is known to be a store, SQLite must not copy the log into it when the connection closes.
        for option in [SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE] {
            try check(unsafe annex_sqlite_configure(handle, option, 1))
        }
        for option in [
            SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_TRUSTED_SCHEMA,
            SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL,
        ] { try check(unsafe annex_sqlite_configure(handle, option, 0)) }
        for (limit, value) in Self.limits { _ = unsafe sqlite3_limit(handle, limit, value) }
        for setting in [
            "cell_size_check = ON", "mmap_size = 0", "temp_store = MEMORY", "secure_delete = ON",
        ] {
            try execute("PRAGMA \(setting)")
        }
    }

    private static let limits: [(Int32, Int32)] = [
        (SQLITE_LIMIT_LENGTH, 4 << 20), (SQLITE_LIMIT_SQL_LENGTH, 4096), (SQLITE_LIMIT_ATTACHED, 0),
        (SQLITE_LIMIT_VARIABLE_NUMBER, 16), (SQLITE_LIMIT_EXPR_DEPTH, 32),
        (SQLITE_LIMIT_COMPOUND_SELECT, 8),
        (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ]

    /// Switches the database to a write-ahead log. With this log, readers and one writer do not wait for each other.
    ///
    /// Call this function only after the file was found to be a store, or to be empty. The log's size is limited.
    /// After this call, SQLite copies the log into the file when the connection closes.
    mutating func useLog(mostPages: Int) throws(StoreError) {
        let deadline = MonotonicClock.deadline(after: .milliseconds(Int(Self.patience)))
        while try !switchToLog(until: deadline) { MonotonicClock.pause() }
        try execute("PRAGMA journal_size_limit = 4194304")
        try execute("PRAGMA max_page_count = \(mostPages)")
        try check(unsafe annex_sqlite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0))
    }

    /// - Returns: false if another process changes the mode at the same time. SQLite does not always wait for that
    ///   process.
    private mutating func switchToLog(until deadline: UInt64) throws(StoreError) -> Bool {
        var mode = ""
        do throws(StoreError) {
            try run("PRAGMA journal_mode = WAL") { row in mode = row.text(0) }
        } catch {
            guard error.kind == .busy, MonotonicClock.now() < deadline else { throw error }
            return false
        }
        guard mode == "wal" else {
            throw StoreError(
                .system, what: "this file system has no shared memory for SQLite's log", place: path,
                remedy: "keep the folder of private directories on a local disk")
        }
        return true
    }

    /// Whether the file was removed or replaced after it was opened. If so, further changes would go into the old
    /// file and be lost.
    var hasMoved: Bool { unsafe annex_sqlite_has_moved(handle) != 0 }

    /// A number to compare with an earlier result of this call. If the numbers differ, another connection has changed
    /// the file.
    mutating func dataVersion() throws(StoreError) -> Int64 { try number("PRAGMA data_version") ?? 0 }

    // MARK: Statements

    /// Runs a statement to its end.
    /// - Parameters:
    ///   - text: a constant of the program. Values are passed separately.
    ///   - row: called for each row.
    mutating func run(
        _ text: StaticString, with values: [SQLValue] = [], row: (borrowing SQLRow) -> Void = { _ in }
    ) throws(StoreError) {
        let statement = try prepared(text.description)
        defer { statement.reset() }
        for (place, value) in values.enumerated() {
            try check(statement.bind(value, at: Int32(place + 1)))
        }
        while true {
            let code = statement.step()
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw unsafe Self.error(code, of: handle, at: path) }
            row(SQLRow(statement))
        }
    }

    /// The number in the first column of the first row; nil if there is no row.
    mutating func number(_ text: StaticString, with values: [SQLValue] = []) throws(StoreError)
        -> Int64?
    {
        var found: Int64?
        try run(text, with: values) { row in if found == nil { found = row.number(0) } }
        return found
    }

    /// The number of rows that the last statement has inserted, changed or deleted.
    var changedRows: Int64 { unsafe sqlite3_changes64(handle) }

    /// Runs a statement that is used once. The text must contain no value from outside the program.
    mutating func execute(_ text: String) throws(StoreError) {
        // SAFETY: the call keeps no pointer.
        try check(unsafe sqlite3_exec(handle, text, nil, nil, nil))
    }

    private mutating func prepared(_ text: String) throws(StoreError) -> SQLStatement {
        if let known = statements[text] { return known }
        var made: OpaquePointer?
        // SAFETY: the call stores one pointer, and keeps none of the text.
        try check(
            unsafe sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil))
        guard let made = unsafe made else {
            throw StoreError(.system, what: "an empty statement", place: path)
        }
        let statement = unsafe SQLStatement(made)
        statements[text] = statement
        return statement
    }

    private func check(_ code: Int32) throws(StoreError) {
        guard code == SQLITE_OK else { throw unsafe Self.error(code, of: handle, at: path) }
    }

    private static func error(_ code: Int32, of handle: OpaquePointer?, at path: String) -> StoreError {
        // SAFETY: the text is copied before the next call of SQLite. If SQLite made no connection, it lacked memory.
        let text = unsafe String(cString: handle == nil ? sqlite3_errstr(code) : sqlite3_errmsg(handle))
        let number = unsafe handle == nil ? 0 : sqlite3_system_errno(handle)
        return StoreError(code: code, text: text, errno: number, place: path)
    }

    // MARK: Transactions

    /// Runs changes in one transaction: either all of them happen, or none.
    mutating func transaction<Result>(
        as durability: Durability, _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        if self.durability != durability {
            // SQLite refuses to change this setting within a transaction, so the setting is changed before the
            // transaction begins.
            try execute("PRAGMA synchronous = \(durability.rawValue)")
            self.durability = durability
        }
        try run("BEGIN IMMEDIATE")
        return try finish(body)
    }

    /// Runs reads that all see the same state of the database.
    mutating func reading<Result>(
        _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try run("BEGIN")
        return try finish(body)
    }

    private mutating func finish<Result>(
        _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            let result = try body(&self)
            try run("COMMIT")
            return result
        } catch {
            // After some errors SQLite has already rolled back the transaction by itself.
            if unsafe sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }
}
