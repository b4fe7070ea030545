import AnnexTestSupport
import Foundation
import Testing

/// The examples *ToDoList* and *Ledger*, used from all sides at the same time: the app, its actions and the command line.
@Suite(.timeLimit(.minutes(20))) struct SharedExamplesTests {
    private static let entitlement = "com.apple.security.application-groups"

    private let folder: TemporaryFolder
    private let daemon: TestDaemon

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await TestDaemon()
    }

    /// Where this daemon keeps the groups.
    private var place: String { daemon.folder.url.path + "/state/private" }

    private func annex(_ words: String...) async throws -> String {
        let ran = try await Program.annex(words, in: folder)
        #expect(ran.status == 0, "\(words) \(ran)")
        return ran.output.trimmingCharacters(in: .newlines)
    }

    private func install(_ app: String, granting extensions: [String]) async throws {
        _ = try await annex("install", ExampleBundles.path(of: app), "--socket", daemon.socket)
        for one in extensions { _ = try await annex("grant", one, Self.entitlement, "--socket", daemon.socket) }
    }

    private func request(_ identifier: String, _ text: String) async throws -> String {
        try await annex("request", identifier, "--text", text, "--socket", daemon.socket)
    }

    private func run(_ app: String, _ words: String...) async throws -> String {
        let path = try ExampleBundles.path(of: "\(app).app") + "/" + app
        let ran = try await Program.run("/usr/bin/env", ["ANNEX_PRIVATE=" + place, path] + words, in: folder)
        #expect(ran.status == 0, "\(words) \(ran)")
        return ran.output.trimmingCharacters(in: .newlines)
    }

    @Test
    func `S2: ToDoList is used through its app, its action and annex group defaults at once, and nothing is lost`()
        async throws
    {
        try await install("ToDoList.app", granting: ["com.example.todolist.add"])
        // The group exists from its first use.
        #expect(try await run("ToDoList", "list") == "")
        async let byApp: Void = { for n in 0..<8 { _ = try await run("ToDoList", "add", "app \(n)") } }()
        async let byAction: Void = {
            for n in 0..<8 { _ = try await request("com.example.todolist.add", "action \(n)\nsecond \(n)") }
        }()
        async let byCommand: Void = {
            for n in 0..<8 {
                _ = try await annex(
                    "group", "defaults", "group.com.example.todolist", "note", "\(n)", "--private", place)
            }
        }()
        _ = try await (byApp, byAction, byCommand)
        let wanted = (0..<8).flatMap { ["app \($0)", "action \($0)", "second \($0)"] }
        let lines = try await run("ToDoList", "list").split(separator: "\n").map {
            $0.drop { $0 != " " }.drop { $0 == " " }
        }
        #expect(lines.map(String.init).sorted() == wanted.sorted())
        let note = try await annex("group", "defaults", "group.com.example.todolist", "note", "--private", place)
        #expect(note == "7")
        let first = lines.first.map(String.init) ?? ""
        #expect(try await run("ToDoList", "done", "1") == "done: \(first)")
        #expect(try await request("com.example.todolist.add", "last") == "added 1, 24 to do")
    }

    @Test func `S6: ToDoList adds what its URL says`() async throws {
        try await install("ToDoList.app", granting: ["com.example.todolist.add"])
        #expect(try await run("ToDoList", "todolist://add?buy%20milk") == "added")
        #expect(try await run("ToDoList", "list") == "1  buy milk")
    }

    @Test func `S4: two extensions and the app keep one ledger at the same time`() async throws {
        try await install("Ledger.app", granting: ["com.example.ledger.book", "com.example.ledger.sum"])
        async let byApp: Void = { for _ in 0..<8 { _ = try await run("Ledger", "add", "1.25", "bread") } }()
        async let byAction: Void = {
            for _ in 0..<8 { _ = try await request("com.example.ledger.book", "2.50 milk\nno entry\n-0.75 bottle") }
        }()
        async let bySum: Void = { for _ in 0..<8 { _ = try await request("com.example.ledger.sum", "") } }()
        _ = try await (byApp, byAction, bySum)
        #expect(try await run("Ledger", "total") == "24.00")
        #expect(try await request("com.example.ledger.sum", "") == "24.00")
        #expect(try await run("Ledger", "list").split(separator: "\n").count == 24)
    }
}
