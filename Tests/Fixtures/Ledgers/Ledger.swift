internal import CAnnexSQLite
internal import Glibc

/// A ledger in an SQLite database that several processes write at the same time. Each entry has two rows whose sum is
/// 0.
public final class Ledger {
    private var database: OpaquePointer?

    /// - Parameter path: the path of the file.
    public init(at path: String) throws {
        try check(
            sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil))
        sqlite3_busy_timeout(database, 20_000)
        try switchToLog()
        try run("PRAGMA synchronous = NORMAL")
        try run("CREATE TABLE IF NOT EXISTS rows (entry TEXT NOT NULL, amount INTEGER NOT NULL)")
    }

    deinit { sqlite3_close_v2(database) }

    /// SQLite never waits for another process that makes the same switch to the log. The busy timeout has no effect
    /// here.
    private func switchToLog() throws {
        for _ in 0..<2000 where (try? run("PRAGMA journal_mode = WAL")) == nil { usleep(10_000) }
        try run("PRAGMA journal_mode = WAL")
    }

    /// Adds entries. Each entry is added in a separate transaction.
    public func add(_ count: Int, by writer: String) throws {
        for number in 0..<count {
            try run("BEGIN IMMEDIATE")
            try run("INSERT INTO rows VALUES ('\(writer)-\(number)', \(number + 1))")
            try run("INSERT INTO rows VALUES ('\(writer)-\(number)', \(-number - 1))")
            try run("COMMIT")
        }
    }

    /// The number of entries, their sum, and the result of `PRAGMA integrity_check`.
    public func summary() throws -> String {
        "\(try text("SELECT count(*) / 2 FROM rows")) \(try text("SELECT sum(amount) FROM rows")) \(try text("PRAGMA integrity_check"))"
    }

    private func run(_ statement: String) throws { try check(sqlite3_exec(database, statement, nil, nil, nil)) }

    private func text(_ query: String) throws -> String {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(database, query, -1, &statement, nil))
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0) else { return "none" }
        return String(cString: text)
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw LedgerError(text: String(cString: sqlite3_errmsg(database))) }
    }
}

public struct LedgerError: Error, CustomStringConvertible {
    let text: String

    public var description: String { text }
}
