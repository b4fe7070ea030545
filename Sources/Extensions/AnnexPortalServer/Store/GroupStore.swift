internal import Synchronization

/// The data that brokers keep for a group: an SQLite database that no member can open. Several processes of the user
/// use the database at once.
///
/// Each change is one transaction: either all of it happens, or nothing. The extensions of this class say, for each
/// kind of data, what survives a power failure. The functions wait for the disk, and they wait up to ten seconds for
/// another process. Call them in a row of a lane.
package final class GroupStore: Sendable {
    private let store: OpenStore

    /// Opens the store. If the store is missing, the call makes it.
    /// - Parameter path: the absolute path of the file, without links. Its folder belongs to this user.
    /// - Throws: `damaged` or `newer` if the file is no store of this version; in these cases the file is unchanged.
    package init(at path: String) throws(StoreError) {
        store = try OpenStore(.group, at: path)
    }

    /// Lends the database to one caller at a time.
    func use<Result: Sendable>(
        _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try store.use(body)
    }

    /// Runs one transaction.
    func transact<Result: Sendable>(
        as durability: Durability, _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try use { (database) throws(StoreError) in try database.transaction(as: durability, body) }
    }

    /// Every fault that SQLite finds in the file (`PRAGMA integrity_check`); empty if there is none. The check reads
    /// the whole file.
    package func faults() throws(StoreError) -> [String] {
        try use { (database) throws(StoreError) in
            var lines: [String] = []
            try database.run("PRAGMA integrity_check(100)") { row in lines.append(row.text(0)) }
            return lines == ["ok"] ? [] : lines
        }
    }

    /// A number to compare with an earlier result of this call. If the numbers differ, another connection has changed
    /// the store.
    package func dataVersion() throws(StoreError) -> Int64 {
        try use { (database) throws(StoreError) in try database.dataVersion() }
    }
}

/// Checks that the size of an argument is within its bounds.
enum StoreBounds {
    /// Refuses a text that is too long, or too short. An empty text passes only if the bounds allow it.
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
