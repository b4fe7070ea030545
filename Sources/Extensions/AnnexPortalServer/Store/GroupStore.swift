internal import Synchronization

/// What brokers keep for a group: an SQLite database that no member can open. Several processes of the user use it at once.
///
/// Each change is one transaction: all of it happens, or nothing. The function of each table says what survives a power failure.
/// The functions wait for the disk, and up to ten seconds for another process. Call them on a lane.
package final class GroupStore: Sendable {
    private let path: String
    private let database: Mutex<Database?>

    /// Opens the store, and makes it if it is missing.
    /// - Parameter path: the absolute path of the file, without links. Its folder belongs to this user.
    /// - Throws: `damaged` or `newer` if the file is no store of this version; it was not changed then.
    package init(at path: String) throws(StoreError) {
        self.path = path
        database = Mutex(try StoreSchema.open(path))
    }

    /// Lends the database to one caller at a time. If the user has removed the file, a new one is made.
    func use<Result: Sendable>(
        _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try database.withLock { (database) throws(StoreError) in
            // The old connection ends before the new one begins: its end would free locks of the new one.
            if database?.hasMoved == true { database = nil }
            var opened = try Self.taken(&database, orOpening: path)
            do throws(StoreError) {
                let result = try body(&opened)
                database = consume opened
                return result
            } catch {
                database = consume opened
                throw error
            }
        }
    }

    private static func taken(
        _ database: inout Database?, orOpening path: String
    ) throws(StoreError) -> Database {
        if let known = database.take() { return known }
        return try StoreSchema.open(path)
    }

    /// Runs one transaction.
    func transact<Result: Sendable>(
        as durability: Durability, _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try use { (database) throws(StoreError) in try database.transaction(as: durability, body) }
    }

    /// Every fault that SQLite finds in the file (`PRAGMA integrity_check`); empty if there is none. This reads the whole file.
    package func faults() throws(StoreError) -> [String] {
        try use { (database) throws(StoreError) in
            var lines: [String] = []
            try database.run("PRAGMA integrity_check(100)") { row in lines.append(row.text(0)) }
            return lines == ["ok"] ? [] : lines
        }
    }

    /// A number that differs from the last one if another connection has changed the store.
    package func dataVersion() throws(StoreError) -> Int64 {
        try use { (database) throws(StoreError) in try database.dataVersion() }
    }
}

/// The bounds of an argument.
enum StoreBounds {
    /// Refuses a text that is empty, unless the bounds allow it, or too long.
    static func check(_ text: String, named name: String, within bytes: ClosedRange<Int>)
        throws(StoreError)
    {
        let count = text.utf8.count
        guard bytes.contains(count) else {
            throw StoreError(
                .invalid, what: "\(name) has \(count) bytes",
                remedy: "use \(bytes.lowerBound) to \(bytes.upperBound) bytes")
        }
    }
}
