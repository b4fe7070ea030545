internal import CAnnexSQLite

/// One connection to an SQLite database. One thread at a time may use it.
///
/// The file belongs to this user alone, and still it is treated with care: SQLite runs in its defensive mode, without triggers or
/// views of the file, without extensions and without memory mapping.
@safe final class Database {
    /// How long a statement waits for another process.
    private static let patience: Int32 = 10_000

    let path: String
    // SAFETY: SQLite made the object. It is closed once, at the end of this one.
    private let handle: OpaquePointer
    /// Prepared statements by their text. Every text is a constant of the program, so their number is bounded.
    private var statements: [String: Statement] = [:]

    /// Opens the database, and makes it if it is missing. Links are not followed.
    init(_ path: String) throws(StoreError) {
        self.path = path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
            | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        // SAFETY: the call stores one pointer, also if it fails.
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            let text = unsafe String(cString: sqlite3_errstr(code))
            _ = unsafe sqlite3_close_v2(opened)
            throw StoreError(code: code, text: text, path: path)
        }
        unsafe self.handle = handle
        unsafe sqlite3_busy_timeout(handle, Self.patience)
        for option in [SQLITE_DBCONFIG_DEFENSIVE] { _ = unsafe annex_sqlite_configure(handle, option, 1) }
        for option in [SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_TRUSTED_SCHEMA] {
            _ = unsafe annex_sqlite_configure(handle, option, 0)
        }
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA cell_size_check = ON")
        try execute("PRAGMA mmap_size = 0")
    }

    deinit {
        statements = [:]
        _ = unsafe sqlite3_close_v2(handle)
    }

    // MARK: Statements

    /// Runs a statement to its end.
    /// - Parameter row: called for each row.
    func run(
        _ text: String, _ values: [SQLValue] = [], row: (borrowing SQLRow) -> Void = { _ in }
    ) throws(StoreError) {
        let statement = try prepared(text)
        defer { statement.reset() }
        for (place, value) in values.enumerated() { try check(statement.bind(value, at: Int32(place + 1))) }
        while true {
            let code = statement.step()
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw error(code) }
            row(SQLRow(statement))
        }
    }

    /// The number in the first column of the first row.
    func number(_ text: String, _ values: [SQLValue] = []) throws(StoreError) -> Int64? {
        var found: Int64?
        try run(text, values) { row in if found == nil { found = row.number(0) } }
        return found
    }

    /// Runs a statement that is used once.
    func execute(_ text: String) throws(StoreError) {
        // SAFETY: the call keeps no pointer.
        try check(unsafe sqlite3_exec(handle, text, nil, nil, nil))
    }

    /// Runs changes that happen together or not at all.
    func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try run("BEGIN IMMEDIATE")
        do throws(StoreError) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // After some errors SQLite has rolled back by itself.
            try? run("ROLLBACK")
            throw error
        }
    }

    private func prepared(_ text: String) throws(StoreError) -> Statement {
        if let known = statements[text] { return known }
        var made: OpaquePointer?
        // SAFETY: the call stores one pointer, and keeps none of the text.
        try check(unsafe sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil))
        guard let made = unsafe made else { throw StoreError(.system, what: "\(path): an empty statement") }
        let statement = unsafe Statement(made)
        statements[text] = statement
        return statement
    }

    private func check(_ code: Int32) throws(StoreError) {
        guard code == SQLITE_OK else { throw error(code) }
    }

    private func error(_ code: Int32) -> StoreError {
        // SAFETY: the text is copied before the next call of SQLite.
        StoreError(code: code, text: unsafe String(cString: sqlite3_errmsg(handle)), path: path)
    }
}

/// A value of a statement.
enum SQLValue {
    case null
    case number(Int64)
    case text(String)
    case bytes([UInt8])
}

/// A prepared statement, which is finalised with this object.
@safe private final class Statement {
    // SAFETY: SQLite made the object. It is finalised once, before its connection is closed.
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        _ = unsafe sqlite3_finalize(handle)
    }

    func step() -> Int32 { unsafe sqlite3_step(handle) }

    func reset() {
        _ = unsafe sqlite3_reset(handle)
        _ = unsafe sqlite3_clear_bindings(handle)
    }

    /// SQLite copies the bytes.
    func bind(_ value: SQLValue, at place: Int32) -> Int32 {
        switch value {
        case .null: unsafe sqlite3_bind_null(handle, place)
        case .number(let number): unsafe sqlite3_bind_int64(handle, place, number)
        case .text(let text):
            unsafe sqlite3_bind_text64(
                handle, place, text, UInt64(text.utf8.count), annex_sqlite_transient(), UInt8(SQLITE_UTF8))
        case .bytes(let bytes):
            // An empty array may have no address, which would bind NULL.
            bytes.isEmpty
                ? unsafe sqlite3_bind_zeroblob(handle, place, 0)
                : unsafe sqlite3_bind_blob64(handle, place, bytes, UInt64(bytes.count), annex_sqlite_transient())
        }
    }
}

/// The present row of a statement.
@safe struct SQLRow: ~Copyable {
    private let statement: OpaquePointer

    fileprivate init(_ statement: Statement) {
        unsafe self.statement = statement.handle
    }

    func number(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement, column) }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// A copy of the bytes.
    func bytes(_ column: Int32) -> [UInt8] {
        // SAFETY: SQLite keeps the bytes until the next step, and they are copied before. The count is asked for after the
        // address, as SQLite demands.
        guard let start = unsafe sqlite3_column_blob(statement, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(statement, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}
