internal import AnnexGroups
internal import CAnnexSQLite

/// The entries that the app and its two extensions share: one SQLite database in the container of their group.
public struct Ledger {
    private static let group = "group.com.example.ledger"
    private let database: Database

    /// Opens the ledger, and makes it if it is missing.
    public init() throws {
        database = try Database(at: AppGroup(Self.group).path + "/ledger.db")
        try database.switchToLog()
        try database.run("CREATE TABLE IF NOT EXISTS entries (amount INTEGER NOT NULL, text TEXT NOT NULL)")
    }

    public func add(_ entry: LedgerEntry) throws {
        try database.run("INSERT INTO entries VALUES (?1, ?2)", with: [.number(entry.amount), .text(entry.text)])
    }

    /// All entries, the oldest first.
    public func entries() throws -> [LedgerEntry] {
        try database.run("SELECT amount, text FROM entries ORDER BY rowid").map { row in
            LedgerEntry(amount: Int64(row[0]) ?? 0, text: row[1])
        }
    }

    /// The sum of all amounts, as text: `12.50`.
    public func total() throws -> String {
        let sum =
            try database.run("SELECT coalesce(sum(amount), 0) FROM entries").first?.first.flatMap { Int64($0) } ?? 0
        return LedgerEntry(amount: sum, text: "").shownAmount
    }
}

/// One line of the ledger, such as `12.50 bread`.
public struct LedgerEntry: Sendable, Hashable {
    /// In hundredths.
    public let amount: Int64
    public let text: String

    init(amount: Int64, text: String) {
        self.amount = amount
        self.text = text
    }

    /// - Returns: nil if the line does not begin with an amount.
    public init?(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1)
        let parts = words.first?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        guard (1...2).contains(parts.count), let whole = Int64(parts[0]), abs(whole) < 1_000_000_000 else { return nil }
        let cents = parts.count == 2 ? parts[1] : "00"
        guard cents.utf8.count == 2, let hundredths = Int64(cents), hundredths >= 0 else { return nil }
        amount = whole * 100 + (parts[0].hasPrefix("-") ? -hundredths : hundredths)
        text = words.count > 1 ? String(words[1]) : ""
    }

    public var shownAmount: String {
        let (whole, rest) = (amount.magnitude / 100, amount.magnitude % 100)
        return "\(amount < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
