import AnnexPortalServer
import Testing

/// The journal of news in the store of a group.
@Suite(.timeLimit(.minutes(20))) struct NewsStoreTests {
    private let place: StorePlace
    private let store: GroupStore

    init() throws {
        place = try StorePlace()
        store = try place.opened()
    }

    private func news(_ numbers: Range<Int>) -> [StoredNews] {
        numbers.map { StoredNews(kind: 2, path: "p\($0)", other: "o", origin: "broker", number: UInt32($0)) }
    }

    @Test func `S3: another broker reads news in their order and each once`() throws {
        let other = try place.opened()
        let start = try other.lastNews()
        try store.append(news(0..<2))
        let first = try other.news(after: start)
        #expect(first.news == news(0..<2) && !first.isIncomplete)
        try store.append(news(2..<3))
        let second = try other.news(after: first.last)
        #expect(second.news == news(2..<3) && !second.isIncomplete)
        #expect(try other.news(after: second.last).news == [])
    }

    @Test func `S3: the last thousand news stay and a slow reader learns that it missed some`() throws {
        let start = try store.lastNews()
        for turn in 0..<3 { try store.append(news(turn * 400..<turn * 400 + 400)) }
        let page = try store.news(after: start)
        #expect(page.news == news(200..<1200) && page.isIncomplete)
        #expect(try store.news(after: start + 200).isIncomplete == false)
        try store.append(news(0..<3000))
        #expect(try store.news(after: 0).news == news(2000..<3000))
    }

    @Test func `S3: a reader whose store was made anew learns that it missed some`() throws {
        try store.append(news(0..<3))
        let page = try store.news(after: 100)
        #expect(page.news == [] && page.isIncomplete && page.last == 3)
    }

    @Test func `S3: rows never come again`() async throws {
        try store.append(news(0..<3))
        try place.sqlite("DELETE FROM news")
        #expect(try store.append(news(0..<1)) == 4)
        #expect(try store.news(after: 1).isIncomplete)
    }

    @Test func `S3: news with a path that is too long are refused whole`() throws {
        let long = StoredNews(kind: 1, path: String(repeating: "p", count: 4097), origin: "broker")
        #expect(throws: StoreError.self) { try store.append(news(0..<1) + [long]) }
        #expect(try store.lastNews() == 0)
    }
}
