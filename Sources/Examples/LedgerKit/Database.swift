internal import CAnnexSQLite
internal import Glibc

/// An SQLite database that several processes use at the same time.
final class Database {
    /// Tells SQLite to copy a text.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private var handle: OpaquePointer?

    init(at path: String) throws(LedgerFault) {
        // SQLite writes the handle, which `deinit` closes.
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        guard code == SQLITE_OK else { throw fault() }
        // The sandbox allows no lock that waits. So SQLite tries again for some time.
        sqlite3_busy_timeout(handle, 20_000)
    }

    deinit { sqlite3_close_v2(handle) }

    /// With the write-ahead log, readers and one writer do not wait for each other. SQLite does not wait for another process that
    /// makes the same switch, whatever the busy timeout is.
    func switchToLog() throws(LedgerFault) {
        for _ in 0..<100 {
            if (try? run("PRAGMA journal_mode = WAL")) != nil { return }
            usleep(50_000)
        }
        try run("PRAGMA journal_mode = WAL")
    }

    enum Value {
        case number(Int64)
        case text(String)
    }

    /// Runs a statement, and returns its rows.
    @discardableResult
    func run(_ text: String, with values: [Value] = []) throws(LedgerFault) -> [[String]] {
        var statement: OpaquePointer?
        // The statement ends with this function. SQLite copies the texts that are bound.
        guard sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK else { throw fault() }
        defer { sqlite3_finalize(statement) }
        for (value, place) in zip(values, Int32(1)...) {
            switch value {
            case .number(let number): sqlite3_bind_int64(statement, place, number)
            case .text(let text): sqlite3_bind_text(statement, place, text, -1, Self.copied)
            }
        }
        return try rows(of: statement)
    }

    private func rows(of statement: OpaquePointer?) throws(LedgerFault) -> [[String]] {
        var rows: [[String]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_DONE: return rows
            case SQLITE_ROW:
                let count = sqlite3_column_count(statement)
                // The text lives until the next step, and is copied before it.
                rows.append((0..<count).map { String(cString: sqlite3_column_text(statement, $0)) })
            default: throw fault()
            }
        }
    }

    // The text lives until the next call on the database, and is copied before it.
    private func fault() -> LedgerFault { LedgerFault(description: String(cString: sqlite3_errmsg(handle))) }
}

/// SQLite cannot do what the ledger asks.
struct LedgerFault: Error, CustomStringConvertible {
    let description: String
}
