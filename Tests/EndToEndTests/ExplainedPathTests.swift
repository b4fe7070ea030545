import AnnexTestSupport
import Foundation
import Testing

/// What `--explain` lists really was refused. The same questions are asked inside and outside.
@Suite(.timeLimit(.minutes(20))) struct ExplainedPathTests {
    private static let questions = ["-r": "read", "-w": "write", "-x": "execute", "-e": "see"]

    private static func script(_ paths: [String]) -> String {
        let words = paths.map { "'\($0)'" }.joined(separator: " ")
        return "for p in \(words); do for o in -r -w -x -e; do test $o \"$p\" && echo \"$o $p\"; done; done; true"
    }

    /// The questions that were answered with yes, as `read PATH`.
    private static func yes(_ program: Program) -> Set<String> {
        Set(
            program.output.split(separator: "\n").compactMap { line in
                questions[String(line.prefix(2))].map { "\($0) \(line.dropFirst(3))" }
            })
    }

    /// The link lies in a mount that cannot be written, and the file to which it leads lies elsewhere.
    @Test func `a link to an open file is not explained as a file of the kernel`() async throws {
        let folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
        let script = "exec 5>new; echo x > /proc/self/fd/5; chmod 600 /proc/self/fd/5; chmod 600 /dev/fd/5"
        let ran = try await Program.annex(
            ["run", "--explain", "--write", ".", "--", "sh", "-c", script], in: folder)
        #expect(ran.status == 0 && !ran.errors.contains("/fd/5"), "\(ran)")
    }

    @Test func `explained paths are those that were refused, and no others`() async throws {
        let folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
        let place = "/var/tmp/annex-explained-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: place) }
        var paths = ["/usr", "/usr/bin/env", place]
        for name in ["read", "write", "execute", "both", "hidden"] {
            try FileManager.default.createDirectory(
                atPath: "\(place)/\(name)/dir", withIntermediateDirectories: true)
            for (file, mode) in [("plain", 0o666), ("program", 0o777)] as [(String, mode_t)] {
                let file = URL(filePath: "\(place)/\(name)/\(file)")
                try Data("#!/bin/sh\n".utf8).write(to: file)
                try FileManager.default.settle(file, mode: mode)
            }
            for part in ["", "/dir"] { chmod("\(place)/\(name)\(part)", 0o777) }
            paths += ["", "/dir", "/plain", "/program"].map { "\(place)/\(name)\($0)" }
        }
        chmod(place, 0o755)
        let script = Self.script(paths)
        let outside = Self.yes(try await Program.run("/bin/sh", ["-c", script], in: folder))
        let options =
            ["--read", place + "/read", "--write", place + "/write", "--execute", place + "/execute"]
            + ["--read", place + "/both", "--write", place + "/both/dir", "--explain"]
        let ran = try await Program.annex(["run"] + options + ["--", "sh", "-c", script], in: folder)
        let inside = Self.yes(ran)
        let listed = Set(
            ran.errors.split(separator: "\n").compactMap { line -> String? in
                guard line.hasPrefix("annex: "), let end = line.firstRange(of: ": denied by") else { return nil }
                let text = String(line[line.index(line.startIndex, offsetBy: 7)..<end.lowerBound])
                return text.contains(" \(place)") ? text : nil
            })
        let refused = outside.subtracting(inside).filter { $0.contains(" \(place)") }
        #expect(!refused.isEmpty && !inside.isEmpty)
        #expect(listed.isDisjoint(with: inside), "not refused: \(listed.intersection(inside).sorted())")
        #expect(refused.isSubset(of: listed), "not listed: \(refused.subtracting(listed).sorted())")
        // A path that the sandbox does not show is refused for every purpose, also for one that its mode forbids.
        let others = listed.subtracting(refused).filter { !$0.contains("\(place)/hidden") }
        #expect(others.isEmpty, "\(others.sorted())")
    }
}
