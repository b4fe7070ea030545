import AnnexTestSupport
import Foundation
import Testing

/// The files that `make install` installs, and their places.
@Suite(.timeLimit(.minutes(20))) struct InstallScriptTests {
    private let folder: TemporaryFolder
    private let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../.ci/install-programs").standardized.path

    init() throws { folder = try TemporaryFolder() }

    /// A folder with the programs. Some are packages of their own, which the tests need not build. Another program stands
    /// for each of them.
    private func built() throws -> String {
        let built = folder.url.appending(path: "built")
        try FileManager.default.createDirectory(at: built, withIntermediateDirectories: true)
        for program in ["annex", "annexd", "annex-today", "annex-transfer"] {
            try FileManager.default.createSymbolicLink(
                at: built.appending(path: program),
                withDestinationURL: Fixtures.program(program == "annexd" ? program : "annex"))
        }
        return built.path
    }

    @Test func `programs, units, manual and completions lie below the prefix, and the units start what lies there`()
        async throws
    {
        let ran = try await Program.run(
            "/bin/sh", [script, built(), "/opt/annex", folder.url.path], in: folder)
        #expect(ran.status == 0 && ran.errors.isEmpty, "\(ran)")
        let place = folder.url.appending(path: "opt/annex")
        for file in ["bin/annex", "bin/annexd", "bin/annex-today", "bin/annex-transfer"] {
            #expect(FileManager.default.isExecutableFile(atPath: place.appending(path: file).path), "\(file)")
        }
        for kind in ["system", "user"] {
            let unit = place.appending(path: "lib/systemd/\(kind)/annexd.service")
            let text = try String(contentsOf: unit, encoding: .utf8)
            #expect(text.contains("ExecStart=/opt/annex/bin/annexd") && !text.contains("/usr/"), "\(text)")
            #expect(try Data(contentsOf: place.appending(path: "lib/systemd/\(kind)/annexd.socket")).count > 0)
        }
        for program in ["annex", "annexd"] {
            let manual = try String(contentsOf: place.appending(path: "share/man/man1/\(program).1"), encoding: .utf8)
            #expect(manual.hasPrefix(".TH \(program.uppercased()) 1\n") && manual.contains("USAGE:"), "\(manual)")
            let completions = place.appending(path: "share/bash-completion/completions/\(program)")
            #expect(try String(contentsOf: completions, encoding: .utf8).contains("complete"))
        }
        let page = place.appending(path: "share/doc/annex/Docs/Guide/Daemon.md")
        #expect(FileManager.default.fileExists(atPath: page.path))
    }

    @Test func `a program that was not built is named, and no file is installed`() async throws {
        let ran = try await Program.run("/bin/sh", [script, "/nowhere", "/opt/annex", folder.url.path], in: folder)
        #expect(ran.status == 66 && ran.errors.contains("/nowhere/annex is missing"), "\(ran)")
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "opt").path))
    }
}
