import AnnexTestSupport
import Foundation
import Testing

/// The page `Differences.md` lists what a program sees otherwise inside a sandbox, and nothing else.
@Suite(.timeLimit(.minutes(20))) struct ViewTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
        for name in ["one", "two", "shown"] {
            let made = folder.url.appending(path: name)
            try FileManager.default.createDirectory(at: made, withIntermediateDirectories: false)
            chmod(made.path, 0o777)
        }
        try Data("text\n".utf8).write(to: folder.url.appending(path: "one/file"))
        chmod(folder.url.appending(path: "one/file").path, 0o666)
        try Data("private\n".utf8).write(to: folder.url.appending(path: "shown/private"))
        chmod(folder.url.appending(path: "shown/private").path, 0o600)
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.appending(path: "link").path, withDestinationPath: ".")
        let lines = ViewProgram.text.split(separator: "\n", omittingEmptySubsequences: false)
        try Data(lines.joined(separator: "\n").utf8).write(to: folder.url.appending(path: "view.py"))
    }

    private var place: String { folder.url.resolvingSymlinksInPath().path }

    /// What the program sees, by key. A key that is printed twice has both values.
    private func view(through command: [String]) async throws -> [String: [String]] {
        try #require(access("/usr/bin/python3", X_OK) == 0, "python3 is needed to look at its surroundings")
        let program = ["/usr/bin/python3", "\(place)/view.py", "\(place)/one", "\(place)/two"]
        let variables = [
            "VIEW_DROPPED": "x", "VIEW_PLACE": "\(place)/one", "CC": "cc", "CI": "1", "MAKEFLAGS": "-j2", "TZ": "UTC-3",
        ]
        let line = "cd link; \"$@\" < view.py > output 2> errors 7< view.py"
        let ran = try await Program.run(
            "/bin/sh", ["-c", line, "sh"] + command + program, in: folder, environment: variables)
        func text(_ name: String) throws -> String {
            try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
        }
        let errors = try text("errors")
        #expect(ran.status == 0, "\(errors)")
        let pairs = try text("output").split(separator: "\n").compactMap { row -> (String, [String])? in
            let parts = row.split(separator: "=", maxSplits: 1).map(String.init)
            return parts.count == 2 ? (parts[0], [parts[1]]) : nil
        }
        // The user outside sees another owner of a new file than the program.
        let made = folder.url.appending(path: "one/made")
        var status = stat()
        #expect(lstat(made.path, &status) == 0 && status.st_uid == geteuid())
        try FileManager.default.removeItem(at: made)
        return Dictionary(pairs + [("new-file-group", ["\(status.st_gid)"])]) { $0 + $1 }
    }

    /// The keys of the page, and whether each difference is found in every case.
    private static func rows() throws -> [String: Bool] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Docs/Guide/Differences.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let cell = row.dropFirst(2).prefix { $0 != "|" }
                return (String(cell.split(separator: "`")[0]), !cell.contains("sometimes"))
            })
    }

    @Test func `each difference inside is on the page and each row of the page is a difference`() async throws {
        let outside = try await view(through: [])
        let annex = ExampleBundles.products.appending(path: "annex").path
        let options = ["--read", "view.py", "--read", "shown", "--write", "one", "--write", "two"]
        let inside = try await view(through: [annex, "run"] + options + ["--"])
        #expect(Set(outside.keys) == Set(inside.keys))
        let different = Set(outside.keys.filter { outside[$0] != inside[$0] })
        let rows = try Self.rows()
        for key in different.subtracting(rows.keys).sorted() {
            Issue.record("\(key) is not on the page: \(outside[key] ?? []) outside, \(inside[key] ?? []) inside")
        }
        let constant = Set(rows.filter(\.value).keys)
        #expect(constant.subtracting(different).sorted() == [], "the page names differences that are none")
        #expect(Set(rows.keys).subtracting(outside.keys).sorted() == [], "the page names what nothing looks at")
    }
}
