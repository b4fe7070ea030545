internal import Synchronization

/// A store that this process has open: an SQLite database of one kind. The functions wait for the disk, and they wait up
/// to ten seconds for another process.
final class OpenStore: Sendable {
    private let schema: StoreSchema
    private let path: String
    private let database: Mutex<Database?>

    /// Opens the store. If the store is missing, the call makes it.
    /// - Parameter path: the absolute path of the file, without links. Its folder belongs to this user.
    init(_ schema: StoreSchema, at path: String) throws(StoreError) {
        self.schema = schema
        self.path = path
        database = Mutex(try schema.open(path))
    }

    /// Lends the database to one caller at a time. If the user has removed the file, the call makes a new file.
    func use<Result: Sendable>(
        _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try database.withLock { (database) throws(StoreError) in
            // The old connection must close before the new one opens. If the old connection closed later, it would
            // free locks of the new connection.
            if database?.hasMoved == true { database = nil }
            var opened = try taken(&database)
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

    private func taken(_ database: inout Database?) throws(StoreError) -> Database {
        if let known = database.take() { return known }
        return try schema.open(path)
    }
}
