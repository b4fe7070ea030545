import AnnexTestSupport
import Foundation
import Testing

/// The question of `annex run --ask` on the screen of a terminal. A program in the sandbox can write any sequence to its
/// terminal before the question.
@Suite(.timeLimit(.minutes(20))) struct RunScreenTests {
    private let project: AskedProject

    init() throws {
        project = try AskedProject()
    }

    /// What `printf` writes before the program fails.
    private static let drawings = [
        "text at another place": #"\033[2J\033[12;47H, a font. Nothing else.\033[H"#,
        "a full screen": #"\033#8"#,
        "lines below": #"\033[20;1Hannex: nothing else is given\033[3;1H"#,
        "the alternate screen": #"\033[?1049h\033[2J\033[5;5Hfalse"#,
        "a scroll region": #"\033[3;5r\033[4;1H"#,
        "margins and origin": #"\033[?69h\033[40;50s\033[5;9r\033[?6h\033[H"#,
        "insert mode": #"\033[2;30Hfalse\033[H\033[4h"#,
        "no wrapping": #"\033[?7l"#,
        "another character set": #"\033(0\033)0\016"#,
        "no UTF-8": #"\033%%@"#,
        "hidden text": #"\033[8m"#,
        "colours": #"\033[37;47m"#,
        "wide lines": #"\033[H\033#6\n\033#3\n\033#4\n\033#6"#,
        "a hidden cursor": #"\033[?25l"#,
        "an unfinished title": #"\033]0;x"#,
        "an unfinished string": #"\033P1$r"#,
        "an unfinished command": #"\033_G"#,
        "an unfinished sequence": #"\033[1;1"#,
        "a screen that waits": #"\033[?2026h"#,
        "the status line": #"\033[2$~\033[1$}"#,
        "another kind of terminal": #"\033[?2l"#,
        "a guarded area": #"\033[9;1H\033Vannex: nothing else is given\033[H"#,
        "other keys": #"\033[?1h\033=\033[>1u\033[?2004h"#,
        "the mouse": #"\033[?1000h\033[?1003h\033[?1006h"#,
    ]

    /// The screen at the end of a run whose question got the answer `none`.
    private func screen(after drawing: String) async throws -> ScreenModel {
        let script = "printf '\(drawing)\\n'; cat data"
        let ran = try await project.run(["run", "--ask", "--", "sh", "-c", script, "sh", "data"])
        try #require(ran.status == 1 && ran.output.contains("annex: which?"), "\(ran.output)")
        var screen = ScreenModel()
        screen.feed(ran.output)
        return screen
    }

    @Test(arguments: drawings.keys.sorted())
    func `DEPUTY-15: nothing that a program drew stands beside the question`(name: String) async throws {
        let plain = try await screen(after: "")
        let lines = plain.lines
        #expect(lines.first?.hasPrefix("annex: hint: ") == true, "\(lines)")
        #expect(lines.contains("annex: run it again, with more allowed?"), "\(lines)")
        #expect(lines.last == "annex: which? (any other answer: none)", "\(lines)")
        let drawn = try await screen(after: try #require(Self.drawings[name]))
        #expect(drawn.lines == lines)
        #expect(drawn.oddities.isEmpty && plain.oddities.isEmpty, "\(drawn.oddities)")
    }

    @Test func `DEPUTY-15: the question about a project file stands alone on the screen`() async throws {
        try project.write("run: [{ program: cat, read: [data] }]\n")
        let ran = try await project.run(["run", "--ask", "--", "true"], answers: ["n"])
        for name in Self.drawings.keys.sorted() {
            var screen = ScreenModel()
            let drawing = try #require(Self.drawings[name]).replacing("\\033", with: "\u{1B}").replacing(
                "%%", with: "%")
            screen.feed(drawing.replacing("\\016", with: "\u{0E}").replacing("\\n", with: "\r\n"))
            // After the answer, a line says that the file is not used.
            screen.feed(
                String(ran.output.prefix(upTo: try #require(ran.output.range(of: "any other answer: no)")).upperBound)))
            #expect(screen.lines.first?.hasPrefix("annex: \(project.place)") == true, "\(name): \(screen.lines)")
            #expect(screen.lines.last == "annex: use it from now on? (y: yes, any other answer: no)", "\(name)")
            #expect(screen.oddities.isEmpty, "\(name): \(screen.oddities)")
        }
    }

    @Test func `a question that is longer than the screen says so`() async throws {
        let entries = (1...12).map { "  - { program: p\($0), read: [data] }\n" }
        try project.write("run:\n" + entries.joined())
        let asked = try await project.run(["run", "--ask", "--", "true"], answers: ["n"])
        #expect(asked.output.contains("longer than the screen"), "\(asked.output)")
        try project.write("run:\n" + entries[0])
        let short = try await project.run(["run", "--ask", "--", "true"], answers: ["n"])
        #expect(!short.output.contains("longer than the screen"), "\(short.output)")
    }
}
