import AnnexTestSupport
import Foundation

/// Two folders for one run of an ordinary program. The program reads one folder and writes the other.
struct OrdinaryWorld {
    /// The result of one run. The path of the folders is removed from every text.
    struct Result {
        let status: Int32
        let output: String
        let errors: String
        let files: [String: Data]
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["in", "out"] {
            let url = folder.url.appending(path: name)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
        // If root runs the test, the sandboxed program runs as another user.
        chmod(path("out"), 0o777)
        for (name, text) in Self.files {
            try Data(text.utf8).write(to: folder.url.appending(path: "in/\(name)"))
        }
    }

    func run(_ program: OrdinaryProgram) async throws -> Result {
        try await run(
            // The programs must not inherit the variables of a `make` that runs this test.
            "/usr/bin/env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL PATH=/usr/local/bin:/usr/bin:/bin "
                + words(["/usr/bin/" + program.name] + arguments(of: program)), program)
    }

    func runSandboxed(_ program: OrdinaryProgram) async throws -> Result {
        let annex = ExampleBundles.products.appending(path: "annex").path
        let command = [
            annex, "run", "--policy", "tool", "--read", path("in"), "--write", path("out"), "--",
            "/usr/bin/\(program.name)",
        ]
        return try await run(words(command + arguments(of: program)), program)
    }

    private func run(_ command: String, _ program: OrdinaryProgram) async throws -> Result {
        let input = program.input.isEmpty ? "</dev/null" : "<<'ANNEX'\n\(program.input)ANNEX"
        let run = try await Program.run("/bin/sh", ["-c", "\(command) \(input)\nexit $?"], in: folder)
        return Result(
            status: run.status, output: neutral(run.output), errors: withoutHint(neutral(run.errors)),
            files: try written())
    }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path }

    private func arguments(of program: OrdinaryProgram) -> [String] {
        program.arguments(reading: path("in"), writing: path("out"))
    }

    private func words(_ words: [String]) -> String {
        words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
    }

    /// After a failed program, `annex run` prints a hint, which is removed here.
    private func withoutHint(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("annex: hint:") }.joined(separator: "\n")
    }

    private func neutral(_ text: String) -> String {
        text.replacing(folder.url.path, with: "FOLDER").replacing("/usr/bin/", with: "")
    }

    /// Every file in the writable folder, by its path in that folder.
    private func written() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path("out")) {
            let url = folder.url.appending(path: "out/\(name)")
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
            files[name] = isDirectory.boolValue ? Data() : try Data(contentsOf: url)
        }
        return files
    }

    private static let lines = (1...2000).map { "line \($0 * 7919 % 2003) word\($0 % 17)\n" }

    private static let files = [
        "text.txt": lines.joined(),
        "other.txt": lines.joined().replacing("word3\n", with: "changed\n"),
        "data.json": #"{"a": [1, 2, {"b": "c"}], "d": 3.5}"#,
        "macros.m4": "define(`greet', `hello $1')greet(`world') eval(6 * 7)\n",
        "change.patch": "--- text.txt\n+++ text.txt\n@@ -1,2 +1,2 @@\n-\(lines[0])+changed\n \(lines[1])",
        "hello.c": "int twice(int x) { return x + x; }\n",
        "Makefile": "all:\n\t@echo made by make\n",
        "in.ppm": "P3 4 2 255 " + (0..<24).map { "\($0 * 10)" }.joined(separator: " ") + "\n",
        "page.pdf": page,
    ]

    private static let page = """
        %PDF-1.4
        1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
        2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
        3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 300 100] /Contents 4 0 R
        /Resources <</Font <</F 5 0 R>> >> >> endobj
        4 0 obj <</Length 44>> stream
        BT /F 18 Tf 20 50 Td (A page of a book) Tj ET
        endstream endobj
        5 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>> endobj
        trailer <</Root 1 0 R>>

        """
}
