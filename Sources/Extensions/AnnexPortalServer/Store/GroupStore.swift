internal import AnnexPortal

/// What brokers keep for a group: an SQLite database that no member can open. Several processes of the user may use it at once.
///
/// A change is one transaction. After it has returned, a power failure does not lose it (`synchronous = FULL`).
final class GroupStore: Sendable {
    /// "Annx": the file says which program it belongs to.
    private static let application: Int64 = 0x416E_6E78
    private static let version: Int64 = 1

    // SAFETY: only the lane of the group uses it, one request after another.
    private nonisolated(unsafe) let database: Database

    /// Opens the store, and makes it if it is missing.
    /// - Parameter path: the absolute path of the file, without links.
    init(at path: String) throws(StoreError) {
        let database = try Database(path)
        unsafe self.database = database
        try database.execute("PRAGMA synchronous = FULL")
        try Self.check(database, at: path)
    }

    /// A file with another owner or version is refused before anything is changed.
    private static func check(_ database: Database, at path: String) throws(StoreError) {
        if try database.number("PRAGMA user_version") == version,
            try database.number("PRAGMA application_id") == application
        {
            return
        }
        // Another process may make the tables at the same time.
        try database.transaction { () throws(StoreError) in
            let found = try database.number("PRAGMA user_version") ?? 0
            let owner = try database.number("PRAGMA application_id") ?? 0
            if found == version, owner == application { return }
            let tables = try database.number("SELECT count(*) FROM sqlite_schema") ?? 0
            guard found == 0, owner == 0, tables == 0 else { throw Self.foreign(version: found, owner: owner, path) }
            try makeTables(in: database)
        }
    }

    private static func foreign(version: Int64, owner: Int64, _ path: String) -> StoreError {
        guard owner == application, version > Self.version else {
            return StoreError(
                .damaged, what: "\(path) is no store of a group",
                remedy: "move the file away, or restore it from a copy; nothing was changed")
        }
        return StoreError(
            .newer, what: "\(path) has version \(version), and this Annex knows version \(Self.version)",
            remedy: "update Annex; nothing was changed")
    }

    private static func makeTables(in database: Database) throws(StoreError) {
        try database.execute("CREATE TABLE state (name TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID")
        try database.execute("INSERT INTO state VALUES ('defaults', 0)")
        try database.execute("CREATE TABLE defaults (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID")
        try database.execute("PRAGMA application_id = \(application)")
        try database.execute("PRAGMA user_version = \(version)")
    }

    // MARK: Defaults

    /// The number of the last change of the defaults.
    func generation() throws(StoreError) -> UInt64 {
        UInt64(max(try unsafe database.number("SELECT number FROM state WHERE name = 'defaults'") ?? 0, 0))
    }

    /// All defaults, sorted by key.
    func defaults() throws(StoreError) -> [DefaultsEntry] {
        var entries: [DefaultsEntry] = []
        try unsafe database.run("SELECT key, value FROM defaults ORDER BY key") { row in
            entries.append(DefaultsEntry(key: row.text(0), value: row.bytes(1)))
        }
        return entries
    }

    /// Sets and removes keys together.
    /// - Returns: the number of the change.
    /// - Throws: `full` if the defaults would exceed their limits.
    func change(_ entries: [DefaultsEntry]) throws(StoreError) -> UInt64 {
        try unsafe database.transaction { () throws(StoreError) in
            for entry in entries { try apply(entry) }
            try checkLimits()
            try unsafe database.run("UPDATE state SET number = number + 1 WHERE name = 'defaults'")
            return try generation()
        }
    }

    private func apply(_ entry: DefaultsEntry) throws(StoreError) {
        guard let value = entry.value else {
            return try unsafe database.run("DELETE FROM defaults WHERE key = ?1", [.text(entry.key)])
        }
        try unsafe database.run(
            "INSERT INTO defaults VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [.text(entry.key), .bytes(value)])
    }

    private func checkLimits() throws(StoreError) {
        let keys = try unsafe database.number("SELECT count(*) FROM defaults") ?? 0
        let bytes = try unsafe database.number("SELECT sum(length(CAST(key AS BLOB)) + length(value)) FROM defaults") ?? 0
        guard keys <= DefaultsLimits.keys, bytes <= DefaultsLimits.bytes else {
            throw StoreError(
                .full, what: "the defaults of the group would have \(keys) keys and \(bytes) bytes",
                remedy: "remove values: \(DefaultsLimits.keys) keys and \(DefaultsLimits.bytes) bytes are allowed")
        }
    }
}
