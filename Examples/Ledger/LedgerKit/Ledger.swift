public import AnnexGroups

/// The entries that the app and its two extensions share. They are stored in one SQLite database in the container of
/// their group.
public actor Ledger {
    public static let group = "group.com.example.ledger"

    private let database: Database

    /// Opens the ledger. If the file is missing, the initialiser creates it.
    public init(in group: AppGroup) async throws(LedgerError) {
        database = try Database(at: group.path + "/ledger.db")
        try await patiently { database throws(LedgerError) in
            // With the write-ahead log, readers and one writer do not wait for each other.
            try database.run("PRAGMA journal_mode = WAL")
            try database.run("CREATE TABLE IF NOT EXISTS entries (amount INTEGER NOT NULL, text TEXT NOT NULL)")
        }
    }

    /// Adds all entries. If this function throws an error, it has added none of them.
    public func add(_ entries: [LedgerEntry]) async throws(LedgerError) {
        guard !entries.isEmpty else { return }
        try await patiently { database throws(LedgerError) in
            try database.transaction { () throws(LedgerError) in
                for entry in entries {
                    let values: [Database.Value] = [.number(entry.amount), .text(entry.text)]
                    try database.run("INSERT INTO entries VALUES (?1, ?2)", with: values)
                }
            }
        }
    }

    /// All entries, the oldest first.
    public func entries() async throws(LedgerError) -> [LedgerEntry] {
        let rows = try await rows("SELECT amount, text FROM entries ORDER BY rowid")
        return rows.map { LedgerEntry(amount: Int64($0[0]) ?? 0, text: $0[1]) }
    }

    /// The sum of all amounts, as text: `12.50`.
    public func total() async throws(LedgerError) -> String {
        let sum = try await rows("SELECT coalesce(sum(amount), 0) FROM entries").first?.first.flatMap { Int64($0) }
        guard let sum else { throw LedgerError("the file ledger.db: the amounts are no numbers") }
        return LedgerEntry.text(ofHundredths: sum)
    }

    /// The errors that SQLite finds in the file, or `ok` if there are none.
    public func check() async throws(LedgerError) -> [String] {
        try await rows("PRAGMA integrity_check").compactMap(\.first)
    }

    private func rows(_ query: StaticString) async throws(LedgerError) -> [[String]] {
        try await patiently { database throws(LedgerError) in try database.run(query) }
    }

    /// Retries an action for up to half a minute, until no other process uses the database.
    ///
    /// SQLite could wait itself, with `sqlite3_busy_timeout`. But an extension has only one thread. If this thread
    /// blocks, it does not answer the watchdog, which then ends the extension. While the thread is suspended by
    /// `await`, it answers the watchdog.
    private func patiently<Result>(
        _ body: (Database) throws(LedgerError) -> Result
    ) async throws(LedgerError) -> Result {
        for _ in 0..<3_000 {
            do throws(LedgerError) {
                return try body(database)
            } catch {
                guard error.isBusy else { throw error }
            }
            do {
                try await Task.sleep(for: .milliseconds(10))
            } catch {
                throw LedgerError("the request was cancelled while another program used the ledger")
            }
        }
        return try body(database)
    }
}
