/// The tables of a store, and the two numbers in the file that state its kind and its version.
struct StoreSchema: Sendable {
    /// This number says which kind of store the file is.
    let application: Int64
    let version: Int64
    /// The kind of store, for error messages.
    let kind: String
    /// The limit of the file's size in pages of 4 KiB.
    let mostPages: Int
    /// The statements that make the tables.
    let tables: [String]

    /// Opens the store, and makes its tables if the file is empty. The call does not change a file of another kind or of
    /// a newer version.
    func open(_ path: String) throws(StoreError) -> Database {
        let isNew = try StoreFile.prepare(path)
        var database = try Database.open(path)
        // All reads of `identify` happen in one transaction, because another process may make the tables between two
        // reads.
        let isEmpty = try database.reading(identify)
        try database.useLog(mostPages: mostPages)
        if isEmpty {
            try database.transaction(as: .durable) { (database) throws(StoreError) in
                // Another process may have made the tables meanwhile.
                if try identify(&database) { try makeTables(in: &database) }
            }
        }
        if isNew || isEmpty { try StoreFile.synchronizeNames(of: path) }
        return database
    }

    /// - Returns: true if the file is empty; false if it is a store of this version.
    private func identify(_ database: inout Database) throws(StoreError) -> Bool {
        let owner = try database.number("PRAGMA application_id") ?? 0
        let found = try database.number("PRAGMA user_version") ?? 0
        if owner == application, found == version { return false }
        if owner == application, found > version {
            throw StoreError(
                .newer, what: "store.db has version \(found), and this Annex knows version \(version)",
                place: database.path, remedy: "update Annex; nothing was changed")
        }
        let tables = try database.number("SELECT count(*) FROM sqlite_schema") ?? 0
        guard owner == 0, found == 0, tables == 0 else {
            throw StoreError(
                .damaged, what: "store.db is a database, but no \(kind)", place: database.path,
                remedy: StoreError.damageRemedy)
        }
        return true
    }

    private func makeTables(in database: inout Database) throws(StoreError) {
        for text in tables { try database.execute(text) }
        try database.execute("PRAGMA application_id = \(application)")
        try database.execute("PRAGMA user_version = \(version)")
    }
}

extension StoreSchema {
    /// The store of a group.
    static let group = StoreSchema(
        application: 0x416E_6E78,  // "Annx"
        version: 1, kind: "store of a group",
        // Twice the sum of the limits of all tables.
        mostPages: 48 << 10,
        tables: [
            "CREATE TABLE state (name TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID",
            """
            INSERT INTO state VALUES
                ('defaults', 0), ('defaults-keys', 0), ('defaults-bytes', 0), ('boards', 0)
            """,
            "CREATE TABLE defaults (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID",
            """
            CREATE TABLE board (
                name TEXT PRIMARY KEY, count INTEGER NOT NULL, writer TEXT NOT NULL, filled INTEGER NOT NULL, expires INTEGER
            ) STRICT, WITHOUT ROWID
            """,
            // The order of the rows is the order in which the writer gave the representations.
            """
            CREATE TABLE representation (
                row INTEGER PRIMARY KEY, board TEXT NOT NULL, item INTEGER NOT NULL, type TEXT NOT NULL, bytes BLOB NOT NULL,
                UNIQUE (board, item, type)
            ) STRICT
            """,
            "CREATE TABLE secret (name TEXT PRIMARY KEY, sealed BLOB NOT NULL) STRICT",
            // The number of a removed row is never used again, so that one number never stands for two news.
            """
            CREATE TABLE news (
                row INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL, path TEXT NOT NULL, other TEXT NOT NULL,
                origin TEXT NOT NULL, number INTEGER NOT NULL
            ) STRICT
            """,
        ])
}
