internal import AnnexGroups
internal import CLedgerSQLite

/// Why the ledger could not do a requested action.
public struct LedgerError: Error, CustomStringConvertible {
    /// Whether another process has locked the database. The same call may succeed soon.
    let isBusy: Bool
    public let description: String

    /// - Parameters:
    ///   - code: SQLite's code.
    ///   - message: SQLite's message. It may quote names in the file, which any member of the group may have chosen.
    init(code: Int32, message: String) {
        // The lowest byte of the code is the kind of the error. The other bytes say more about the error.
        isBusy = code & 0xFF == SQLITE_BUSY
        let remedy = isBusy ? "try again later" : "annex group show says where the file is"
        description = "the file ledger.db: \(Escaped(message)); \(remedy)"
    }

    init(_ description: String) {
        isBusy = false
        self.description = description
    }
}
