internal import CAnnexSQLite

/// A book of transfers that refuses some changes of tasks, as one on a full disk does.
package final class BookFault {
    private var database: OpaquePointer?

    init(at path: String, when condition: String) throws {
        try check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
        sqlite3_busy_timeout(database, 20_000)
        // An index whose value cannot be computed for the rows of the condition. The book runs no triggers.
        try run("CREATE INDEX fault ON task (abs(iif(\(condition), -9223372036854775807 - 1, 0)))")
    }

    deinit { sqlite3_close_v2(database) }

    /// Lets the book take all changes again.
    package func mend() throws { try run("DROP INDEX fault") }

    private func run(_ statement: String) throws { try check(sqlite3_exec(database, statement, nil, nil, nil)) }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw BookFaultFailure(text: String(cString: sqlite3_errmsg(database))) }
    }
}

private struct BookFaultFailure: Error {
    let text: String
}
