/// The limits of a group's news.
package enum NewsLimits {
    /// The number of news that are kept. Older news are removed.
    package static let news = 1000
    package static let pathBytes = 4096
    package static let originBytes = 256
}

/// A change in the container, as a file coordinator has reported it.
package struct StoredNews: Sendable, Hashable {
    /// The kind of change. The coordination service defines the numbers.
    package let kind: UInt32
    /// The path, relative to the container.
    package let path: String
    /// The second path of a move; otherwise empty.
    package let other: String
    /// A text that stands for the process that reported the change. The broker of that process chose the text, and no
    /// other broker uses the same text.
    package let origin: String
    /// The number of the presenter, in that process, that made the change; 0 if no presenter made it.
    package let number: UInt32

    package init(kind: UInt32, path: String, other: String = "", origin: String, number: UInt32 = 0) {
        self.kind = kind
        self.path = path
        self.other = other
        self.origin = origin
        self.number = number
    }
}

/// News in their order, and the row after which the next read begins.
package struct NewsPage: Sendable, Hashable {
    package let news: [StoredNews]
    /// The row of the last news on this page. The next read begins after it.
    package let last: Int64
    /// Whether some news were removed before this reader could read them. If so, anything in the container may have
    /// changed.
    package let isIncomplete: Bool
}

/// The journal from which the brokers of one group learn of changes in the container. A power failure may lose the
/// last news. The loss does no harm, because the power failure also ends the processes that would read these news.
extension GroupStore {
    /// Adds news, and removes all but the last 1,000.
    /// - Returns: the row of the last news.
    @discardableResult
    package func append(_ news: [StoredNews]) throws(StoreError) -> Int64 {
        for one in news { try Self.check(one) }
        return try transact(as: .atomic) { (database) throws(StoreError) in
            for one in news.suffix(NewsLimits.news) { try Self.insert(one, in: &database) }
            let last = try Self.lastNews(in: &database)
            try database.run(
                "DELETE FROM news WHERE row <= ?1", with: [.number(last - Int64(NewsLimits.news))])
            return last
        }
    }

    /// The row of the last news; 0 if there never were any news. A new reader begins after this row.
    package func lastNews() throws(StoreError) -> Int64 {
        try use { (database) throws(StoreError) in try Self.lastNews(in: &database) }
    }

    /// The news after a row.
    package func news(after row: Int64) throws(StoreError) -> NewsPage {
        try use { (database) throws(StoreError) in
            try database.reading { (database) throws(StoreError) in
                try Self.page(after: row, in: &database)
            }
        }
    }

    /// The news after a reader's row. If the store was made anew, its rows begin at 1 again, and the reader's row may
    /// be larger than the last row. In this case the page has no news and is marked as incomplete.
    private static func page(after row: Int64, in database: inout Database) throws(StoreError)
        -> NewsPage
    {
        let last = try lastNews(in: &database)
        guard row <= last else { return NewsPage(news: [], last: last, isIncomplete: true) }
        var news: [StoredNews] = []
        var first: Int64?
        try database.run(
            "SELECT row, kind, path, other, origin, number FROM news WHERE row > ?1 ORDER BY row",
            with: [.number(row)]
        ) { row in
            if first == nil { first = row.number(0) }
            news.append(
                StoredNews(
                    kind: UInt32(clamping: row.number(1)), path: row.text(2), other: row.text(3),
                    origin: row.text(4),
                    number: UInt32(clamping: row.number(5))))
        }
        let isIncomplete = first.map { $0 > row + 1 } ?? (row < last)
        return NewsPage(news: news, last: last, isIncomplete: isIncomplete)
    }

    private static func lastNews(in database: inout Database) throws(StoreError) -> Int64 {
        try database.number("SELECT seq FROM sqlite_sequence WHERE name = 'news'") ?? 0
    }

    private static func insert(_ one: StoredNews, in database: inout Database) throws(StoreError) {
        try database.run(
            "INSERT INTO news (kind, path, other, origin, number) VALUES (?1, ?2, ?3, ?4, ?5)",
            with: [
                .number(Int64(one.kind)), .text(one.path), .text(one.other), .text(one.origin),
                .number(Int64(one.number)),
            ])
    }

    private static func check(_ one: StoredNews) throws(StoreError) {
        try StoreBounds.check(one.path, named: "a path", within: 0...NewsLimits.pathBytes)
        try StoreBounds.check(one.other, named: "a path", within: 0...NewsLimits.pathBytes)
        try StoreBounds.check(one.origin, named: "an origin", within: 1...NewsLimits.originBytes)
    }
}
