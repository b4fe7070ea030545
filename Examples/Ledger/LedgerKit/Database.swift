internal import CLedgerSQLite

/// A connection to an SQLite database that several processes use at the same time.
///
/// No call waits for another process. If the database is busy, the call throws an error that says so.
@safe final class Database {
    // SAFETY: SQLite made the object, and `deinit` closes it. The class is not `Sendable`, so only one thread at a
    // time uses it.
    private let handle: OpaquePointer

    /// Opens the file. If the file is missing, the initialiser creates it.
    init(at path: String) throws(LedgerError) {
        var opened: OpaquePointer?
        // SAFETY: the call stores one pointer, even if it fails.
        let code = unsafe sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            _ = unsafe sqlite3_close_v2(opened)
            throw LedgerError(code: code, message: unsafe String(cString: sqlite3_errstr(code)))
        }
        unsafe self.handle = handle
    }

    deinit { _ = unsafe sqlite3_close_v2(handle) }

    enum Value {
        case number(Int64)
        case text(String)
    }

    /// Runs a body as a transaction: either all of its changes are kept, or none.
    func transaction(_ body: () throws(LedgerError) -> Void) throws(LedgerError) {
        // The transaction gets write access at its beginning. A transaction that begins with reading cannot always
        // change to writing.
        try run("BEGIN IMMEDIATE")
        do throws(LedgerError) {
            try body()
            try run("COMMIT")
        } catch {
            // The error of the body says more than an error of the rollback.
            _ = try? run("ROLLBACK")
            throw error
        }
    }

    /// Runs a statement.
    /// - Parameters:
    ///   - text: a constant of the program. Untrusted values are passed separately, so that no value becomes a
    ///     statement.
    /// - Returns: the rows of the result, each with its columns as text.
    @discardableResult
    func run(_ text: StaticString, with values: [Value] = []) throws(LedgerError) -> [[String]] {
        var statement: OpaquePointer?
        // SAFETY: SQLite makes the object. It is finalised at the end of this call.
        try check(unsafe sqlite3_prepare_v2(handle, text.description, -1, &statement, nil))
        defer { _ = unsafe sqlite3_finalize(statement) }
        for (place, value) in values.enumerated() { try check(unsafe bind(value, at: Int32(place + 1), of: statement)) }
        var rows: [[String]] = []
        while true {
            let code = unsafe sqlite3_step(statement)
            guard code == SQLITE_ROW else {
                if code != SQLITE_DONE { try check(code) }
                return rows
            }
            rows.append(unsafe (0..<sqlite3_column_count(statement)).map { unsafe Self.text(in: $0, of: statement) })
        }
    }

    private func bind(_ value: Value, at place: Int32, of statement: OpaquePointer?) -> Int32 {
        switch value {
        case .number(let number): return unsafe sqlite3_bind_int64(statement, place, number)
        case .text(let text):
            // SAFETY: the count is the number of UTF-8 bytes of the text, and SQLite copies these bytes.
            return unsafe sqlite3_bind_text(
                statement, place, text, Int32(text.utf8.count), ledger_sqlite_transient())
        }
    }

    /// The text of a column. A number becomes text, and NULL becomes an empty text.
    private static func text(in column: Int32, of statement: OpaquePointer?) -> String {
        // SAFETY: SQLite keeps the bytes until the next step, and this function copies them before that. SQLite
        // requires that the address is requested before the count.
        guard let start = unsafe sqlite3_column_text(statement, column) else { return "" }
        let count = Int(unsafe sqlite3_column_bytes(statement, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private func check(_ code: Int32) throws(LedgerError) {
        guard code != SQLITE_OK else { return }
        // SAFETY: SQLite keeps the message until the next call, and it is copied before that.
        throw LedgerError(code: code, message: unsafe String(cString: sqlite3_errmsg(handle)))
    }
}
