import AnnexTestSupport
import Foundation
import Testing

/// The examples *ToDoList* and *Ledger*. The app, its actions and the command line use them at the same time.
@Suite(.timeLimit(.minutes(20))) struct SharedExamplesTests {
    private static let entitlement = "com.apple.security.application-groups"

    private let folder: TemporaryFolder
    private let daemon: TestDaemon

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await TestDaemon()
    }

    /// The folder in which this daemon keeps the groups.
    private var place: String { daemon.folder.url.path + "/state/private" }

    private func annex(_ words: [String]) async throws -> String {
        let ran = try await Program.annex(words, in: folder)
        #expect(ran.status == 0, "\(words) \(ran)")
        return ran.output.trimmingCharacters(in: .newlines)
    }

    private func install(_ app: String, granting extensions: [String]) async throws {
        _ = try await annex(["install", ExampleBundles.path(of: app), "--socket", daemon.socket])
        for one in extensions { _ = try await annex(["grant", one, Self.entitlement, "--socket", daemon.socket]) }
    }

    private func request(_ identifier: String, _ text: String) async throws -> String {
        try await annex(["request", identifier, "--text=" + text, "--socket", daemon.socket])
    }

    private func run(_ app: String, _ words: String...) async throws -> String {
        let ran = try await program(app, words)
        #expect(ran.status == 0, "\(words) \(ran)")
        return ran.output.trimmingCharacters(in: .newlines)
    }

    private func program(_ app: String, _ words: [String]) async throws -> Program {
        let path = try ExampleBundles.path(of: "\(app).app") + "/" + app
        return try await Program.run(path, words, in: folder, environment: ["ANNEX_PRIVATE": place])
    }

    private func defaults(_ words: String...) async throws -> String {
        try await annex(["group", "defaults", "group.com.example.todolist"] + words + ["--private", place])
    }

    // MARK: ToDoList

    @Test
    func `S2: ToDoList is used through its app, its action and annex group defaults at once, and nothing is lost`()
        async throws
    {
        try await install("ToDoList.app", granting: ["com.example.todolist.add"])
        // The group exists from its first use.
        #expect(try await run("ToDoList", "list") == "")
        // There are three writers. Each of them writes 30 entries.
        async let byApp: Void = {
            for n in 0..<15 { _ = try await run("ToDoList", "add", "app \(n)", "later \(n)") }
        }()
        async let byAction: Void = {
            for n in 0..<15 { _ = try await request("com.example.todolist.add", "action \(n)\nsecond \(n)") }
        }()
        async let byCommand: Void = { for n in 0..<30 { _ = try await defaults("note \(n)", "\(n)") } }()
        _ = try await (byApp, byAction, byCommand)
        let wanted = (0..<15).flatMap { n in ["app", "later", "action", "second"].map { "\($0) \(n)" } }
        let lines = try await run("ToDoList", "list").split(separator: "\n").map {
            String($0.drop { $0 != " " }.drop { $0 == " " })
        }
        #expect(lines.sorted() == wanted.sorted())
        let values = try await defaults().split(separator: "\n").map(String.init)
        let notes = values.filter { $0.hasPrefix("note ") }
        #expect(notes.sorted() == (0..<30).map { "note \($0) = \($0)" }.sorted(), "\(values)")
        #expect(try await run("ToDoList", "done", "1") == "done \(lines.first ?? "")")
    }

    @Test func `S2: each line of a selected text becomes an entry of ToDoList, shown without control characters`()
        async throws
    {
        try await install("ToDoList.app", granting: ["com.example.todolist.add"])
        let answer = try await request("com.example.todolist.add", "one\r\ntwo\n \n\u{1B}[31mred")
        #expect(answer.hasPrefix("added one\nadded two\nadded "), "\(answer)")
        #expect(try await run("ToDoList", "list") == "1  one\n2  two\n3  \\u{1b}[31mred")
        #expect(try await request("com.example.todolist.add", " \n") == "nothing to add")
    }

    @Test func `S6: ToDoList adds what its URL says, and does nothing else that a URL asks for`() async throws {
        try await install("ToDoList.app", granting: ["com.example.todolist.add"])
        #expect(try await run("ToDoList", "todolist://add?buy%20milk") == "added buy milk")
        #expect(try await run("ToDoList", "todolist://add?K%C3%A4se%2C%20Brot") == "added Käse, Brot")
        for url in [
            "todolist://done?1", "todolist:add", "todolist://add?", "todolist://add?%20", "todolist://add?%FF",
            "todolist://add?%+f", "todolist://add?100%",
        ] {
            let ran = try await program("ToDoList", [url])
            #expect(ran.status == 1 && ran.errors.hasPrefix("ToDoList: "), "\(url) \(ran)")
        }
        #expect(try await run("ToDoList", "list") == "1  buy milk\n2  Käse, Brot")
    }

    // MARK: Ledger

    @Test func `S4: Ledger is used through its app and its two actions at once, and the sum is right`() async throws {
        try await install("Ledger.app", granting: ["com.example.ledger.book", "com.example.ledger.sum"])
        // Three programs run, and the first of them creates the database. Two programs write 30 entries each.
        async let byApp: Void = { for _ in 0..<30 { _ = try await run("Ledger", "add", "1.25", "bread") } }()
        async let byAction: Void = {
            for _ in 0..<15 { _ = try await request("com.example.ledger.book", "2.50 milk\nno entry\n-0.75 bottle") }
        }()
        async let bySum: Void = { for _ in 0..<15 { _ = try await request("com.example.ledger.sum", "total") } }()
        _ = try await (byApp, byAction, bySum)
        #expect(try await run("Ledger", "total") == "63.75")
        #expect(try await request("com.example.ledger.sum", "total") == "63.75")
        #expect(try await run("Ledger", "list").split(separator: "\n").count == 60)
        // PRAGMA integrity_check gives this text.
        #expect(try await run("Ledger", "check") == "ok")
    }

    @Test func `S4: Ledger books amounts only, and says what became of each line`() async throws {
        try await install("Ledger.app", granting: ["com.example.ledger.book"])
        let lines = "-9223372036854775808 x\r\n1.+5 y\n3.10\n+1.00 z\n٣ a\n-0.75 bottle"
        let answer = try await request("com.example.ledger.book", lines)
        #expect(
            answer.split(separator: "\n").map { $0.prefix(while: { $0 != " " }) }
                == ["no", "no", "booked", "no", "no", "booked"], "\(answer)")
        #expect(try await run("Ledger", "list") == "3.10\n-0.75 bottle")
        for amount in ["1e3", "1.5", "", "9999999999"] {
            let ran = try await program("Ledger", ["add", amount, "bread"])
            #expect(ran.status == 1 && ran.errors.contains("begins with an amount"), "\(amount) \(ran)")
        }
    }
}
