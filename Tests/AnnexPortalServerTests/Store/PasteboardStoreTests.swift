import AnnexLinux
import AnnexPortalServer
import Testing

/// The pasteboards in the store of a group.
@Suite(.timeLimit(.minutes(20))) struct PasteboardStoreTests {
    private let place: StorePlace
    private let store: GroupStore

    init() throws {
        place = try StorePlace()
        store = try place.opened()
    }

    private func item(_ representations: (String, String)...) -> BoardItem {
        BoardItem(representations.map { BoardRepresentation(type: $0.0, bytes: Array($0.1.utf8)) })
    }

    /// Whether a board never had contents.
    private func isEmpty(_ board: BoardSummary) -> Bool {
        board.changeCount == 0 && board.writer == "" && board.expiry == nil && board.types == []
    }

    private func moment(_ seconds: Int64) -> WallClock { WallClock(microseconds: seconds * 1_000_000) }

    @Test func `S5: what one member puts on a pasteboard another reads`() throws {
        let other = try place.opened()
        let count = try store.setBoard(
            to: [item(("public.html", "<b>"), ("public.text", "b")), item(("public.url", ""))], by: "com.example.one")
        let board = try other.board()
        #expect(board.types == [["public.html", "public.text"], ["public.url"]], "in the order of the writer")
        #expect(board.changeCount == count && board.writer == "com.example.one" && board.expiry == nil)
        let read = try other.representation("public.text")
        #expect(read.changeCount == count && read.bytes == Array("b".utf8))
        #expect(try other.representation("public.url", ofItem: 1).bytes == [])
        #expect(try other.representation("public.url", ofItem: 0).bytes == nil)
        #expect(try other.representation("public.text", ofItem: -1).bytes == nil)
    }

    @Test func `S5: set replaces and clear removes and each counts as a change`() throws {
        #expect(try isEmpty(store.board("x")))
        let first = try store.setBoard("x", to: [item(("a", "1"), ("b", "2"))], by: "w")
        let second = try store.setBoard("x", to: [item(("a", "3"))], by: "v")
        #expect(second > first)
        #expect(try store.board("x").types == [["a"]] && store.representation("b", on: "x").bytes == nil)
        let third = try store.clearBoard("x")
        #expect(third > second)
        let board = try store.board("x")
        #expect(board.types == [] && board.writer == "" && board.changeCount == third)
        #expect(try store.representation("a", on: "x").bytes == nil)
    }

    @Test func `S5: boards of different names do not meet`() throws {
        _ = try store.setBoard("x", to: [item(("a", "1"))], by: "w")
        _ = try store.setBoard("y", to: [item(("a", "2"))], by: "w")
        _ = try store.clearBoard("x")
        #expect(try store.representation("a", on: "y").bytes == Array("2".utf8))
    }

    @Test func `S5: expired contents are never returned and leave the store`() async throws {
        let count = try store.setBoard(
            to: [item(("a", "SECRET"))], by: "w", until: moment(100), now: moment(50))
        #expect(try store.board(now: moment(99)).expiry == moment(100))
        #expect(try store.representation("a", now: moment(99)).bytes == Array("SECRET".utf8))
        let late = try store.representation("a", now: moment(100))
        #expect(late.bytes == nil && late.changeCount > count)
        // If the clock goes back, expired contents do not come back.
        let board = try store.board(now: moment(60))
        #expect(board.types == [] && board.writer == "" && board.expiry == nil)
        #expect(try place.sqlite("SELECT count(*) FROM representation") == ["0"])
    }

    @Test func `S5: any access removes what has expired on other boards`() async throws {
        _ = try store.setBoard("x", to: [item(("a", "1"))], by: "w", until: moment(100), now: moment(50))
        _ = try store.board("y", now: moment(200))
        #expect(try place.sqlite("SELECT count(*) FROM representation") == ["0"])
    }

    @Test func `S5: contents that expire before they are set are not there`() throws {
        _ = try store.setBoard(to: [item(("a", "1"))], by: "w", until: moment(10), now: moment(50))
        #expect(try store.representation("a", now: moment(50)).bytes == nil)
    }

    @Test func `S5: contents that are too large are refused and the earlier ones stay`() throws {
        _ = try store.setBoard(to: [item(("a", "1"))], by: "w")
        let before = try store.board()
        let large = [UInt8](repeating: 1, count: 1 << 20)
        let error = try #require(throws: StoreError.self) {
            _ = try store.setBoard(to: [BoardItem([BoardRepresentation(type: "b", bytes: large)])], by: "w")
        }
        #expect(error.kind == .full && error.remedy?.contains("container") == true)
        #expect(try store.board() == before)
        let most = BoardItem([BoardRepresentation(type: "b", bytes: Array(large.dropLast()))])
        _ = try store.setBoard(to: [most], by: "w")
        #expect(throws: StoreError.self) {
            _ = try store.setBoard(to: (0..<257).map { item(("t\($0)", "")) }, by: "w")
        }
    }

    @Test func `S5: sixteen boards hold contents and cleared ones make room`() throws {
        for number in 0..<16 { _ = try store.setBoard("\(number)", to: [item(("a", "\(number)"))], by: "w") }
        let error = try #require(throws: StoreError.self) {
            _ = try store.setBoard("more", to: [item(("a", "1"))], by: "w")
        }
        #expect(error.kind == .full)
        _ = try store.setBoard("3", to: [item(("a", "again"))], by: "w")
        let cleared = try store.clearBoard("7")
        #expect(try store.board("7").changeCount == cleared)
        _ = try store.setBoard("more", to: [item(("a", "1"))], by: "w")
        for number in 0..<16 where number != 7 { #expect(try store.board("\(number)").types == [["a"]]) }
    }

    @Test func `S5: names without contents do not pile up`() async throws {
        for number in 0..<200 { _ = try store.clearBoard("\(number)") }
        #expect(try place.sqlite("SELECT count(*) FROM board") == ["17"])
    }

    @Test func `S5: malformed names and items are refused`() throws {
        let long = String(repeating: "n", count: 65)
        #expect(throws: StoreError.self) { _ = try store.board("") }
        #expect(throws: StoreError.self) { _ = try store.clearBoard(long) }
        for items in [[BoardItem([])], [item(("a", "1"), ("a", "2"))], [item(("", "1"))]] {
            let error = try #require(throws: StoreError.self) { _ = try store.setBoard(to: items, by: "w") }
            #expect(error.kind == .invalid)
        }
        #expect(try isEmpty(store.board()))
    }
}
