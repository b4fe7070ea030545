import AnnexTestSupport
import Foundation
import Testing

/// Paths with `..` lead where they lead the kernel, and the same spelling works inside.
@Suite(.timeLimit(.minutes(20))) struct RunParentPathTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["p/real", "p/sub", "p/out", "q/deep", "w"] {
            let url = folder.url.appending(path: name)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            chmod(url.path, 0o777)
        }
        chmod(folder.url.path, 0o755)
        try Data("mine\n".utf8).write(to: folder.url.appending(path: "p/real/f"))
        try Data("other\n".utf8).write(to: folder.url.appending(path: "q/inp"))
        let links = [("p/inp", "real/f"), ("p/olink", "out"), ("p/far", "../q/deep"), ("w/far", "../q/deep")]
        for (link, target) in links {
            try FileManager.default.createSymbolicLink(
                atPath: folder.url.path + "/" + link, withDestinationPath: target)
        }
    }

    private func shell(_ line: String) async throws -> Program {
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run("/bin/sh", ["-c", line.replacing("annex run", with: "\(annex) run")], in: folder)
    }

    @Test(arguments: [
        ("p/real", "../inp", "mine\n"), ("p/real", "\"$PWD/../inp\"", "mine\n"), ("p", "sub/../inp", "mine\n"),
        ("p", "./sub/../real/../inp", "mine\n"), ("p", "far/../inp", "other\n"), ("p/real", "../far/../inp", "other\n"),
        (".", "p/real/../far/../../p/inp", "mine\n"), ("p/real", "../../p/sub/../inp", "mine\n"),
    ])
    func `a link that is named by a path with a parent is there inside`(
        directory: String, path: String, expected: String
    ) async throws {
        for option in ["--read", "--execute", "--read-all-but"] {
            guard option != "--read-all-but" || expected == "mine\n" else { continue }
            let read = try await shell("cd \(directory) && cat \(path) && annex run \(option) \(path) -- cat \(path)")
            #expect(read.output == expected + expected, "\(option): \(read.errors)")
        }
    }

    @Test func `a directory behind a link and a parent is written`() async throws {
        let written = try await shell(
            "cd p/real && annex run --read f --write ../olink -- cp f ../olink/x; echo $?; cat ../out/x")
        #expect(written.output == "0\nmine\n", "\(written.errors)")
    }

    @Test func `a parent of the working directory is handed over`() async throws {
        let read = try await shell("cd p/real && annex run --read .. -- cat ../inp")
        #expect(read.output == "mine\n", "\(read.errors)")
    }

    @Test(arguments: ["missing/../inp", "real/f/../inp"])
    func `a path whose parent is no directory is refused, as by the kernel`(path: String) async throws {
        let refused = try await shell("cd p && cat \(path); annex run --read \(path) -- true; echo $?")
        #expect(refused.output == "64\n" && refused.errors.contains("--read \(path): there is nothing"), "\(refused)")
    }

    /// The program of an earlier run can make a link in a directory that it may write, also before a `..`.
    @Test func `FS-10: no planted link before a parent is followed`() async throws {
        let line = "annex run --write w --read w/far/../inp -- cat w/far/../inp; echo $?"
        let refused = try await shell(line)
        #expect(refused.output == "126\n", "\(refused.errors)")
        #expect(refused.errors.contains("/w/far is a link, and a program that may write in"), "\(refused.errors)")
        guard getuid() == 0 else { return }
        let planted = try await shell(
            "annex run --write w -- ln -s ../q/deep w/made; annex run --read w/made/../inp -- true; echo $?")
        #expect(planted.output == "126\n", "\(planted.errors)")
        #expect(planted.errors.contains("a program in a sandbox made this link"), "\(planted.errors)")
    }

    @Test func `a path through a link that every sandbox has is handed over`() async throws {
        let place = folder.url.path + "/q"
        let said = try await shell("annex run --read /dev/fd/../../..\(place) -- cat \(place)/inp")
        #expect(said.output == "other\n", "\(said)")
    }
}
