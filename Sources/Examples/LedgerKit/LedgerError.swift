internal import AnnexGroups
internal import CAnnexSQLite

/// The ledger cannot do what it was asked for.
public struct LedgerError: Error, CustomStringConvertible {
    /// Whether another process uses the database in a way that excludes this one. Soon after, the same call may work.
    let isBusy: Bool
    public let description: String

    /// - Parameters:
    ///   - code: SQLite's code.
    ///   - message: SQLite's words. They may quote names in the file, which any member of the group may have chosen.
    init(code: Int32, message: String) {
        // The lower byte is the kind of the error. The others say more about it.
        isBusy = code & 0xFF == SQLITE_BUSY
        let remedy = isBusy ? "try again later" : "annex group show says where the file is"
        description = "the file ledger.db: \(Escaped(message)); \(remedy)"
    }

    init(_ description: String) {
        isBusy = false
        self.description = description
    }
}
