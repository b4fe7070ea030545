import AnnexTestSupport
import Foundation
import Testing

/// A project file that the user has allowed names paths again in every run. A program of an earlier run must not decide
/// where these paths lead.
@Suite(.timeLimit(.minutes(20))) struct PlantedLinkTests {
    private let project: AskedProject
    private let secret: String

    init() throws {
        project = try AskedProject()
        try project.make("work/data")
        try project.make("work")
        secret = try project.make(".ssh", in: project.home)
        try Data("secret\n".utf8).write(to: URL(filePath: secret + "/key"))
        chmod(secret + "/key", 0o644)
    }

    /// Lets a program replace a directory by a link, in a sandbox and under the options of the project file.
    private func plant(_ name: String, in directory: String? = nil, to target: String? = nil) async throws {
        let directory = directory ?? project.place + "/work"
        let script = "cd '\(directory)' && rm -rf '\(name)' && ln -s '\(target ?? secret)' '\(name)'"
        let planted = try await project.run(["run", "--", "sh", "-c", script])
        try #require(planted.status == 0 && isLink(directory + "/" + name), "\(planted.output)")
    }

    private func isLink(_ path: String) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
    }

    private func entries(_ text: String) -> String {
        "run:\n  - { program: sh, write: [work] }\n  - \(text.replacing("FOLDER", with: project.place))\n"
    }

    @Test(arguments: [
        "read: [work/data]", "execute: [work/data]", "read: [work/data/../data]", "read: ['FOLDER/work/data']",
        "read: [work/data/key]", "write-execute: [work/data]", "write: [./work/data/]",
    ])
    func `DEPUTY-13: no path of a project file follows a planted link`(option: String) async throws {
        try project.write(entries("{ program: cat, \(option) }"))
        try await project.allow()
        try await plant("data")
        let read = try await project.run(["run", "--", "cat", "work/data/key", "\(secret)/key"])
        #expect(read.status == 126 && !read.output.contains("secret\r\n"), "\(read.output)")
        #expect(read.output.contains("\(project.place)/work/data is a link, and"), "\(read.output)")
        #expect(read.output.contains("\(project.place)/.annex.yaml"), "\(read.output)")
        #expect(read.output.contains("name its target (\(secret)) instead"), "\(read.output)")
    }

    @Test func `DEPUTY-13: nothing is written through a planted link`() async throws {
        try project.write(entries("{ program: touch, write: [work/data] }"))
        try await project.allow()
        try await plant("data")
        let written = try await project.run(["run", "--", "touch", "work/data/authorized_keys"])
        #expect(written.status == 126, "\(written.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: secret) == ["key"])
    }

    /// Here the project file names an absolute path outside its directory. Links of the system on such a path are
    /// followed, but not links in a place that any entry lets a program change.
    @Test func `DEPUTY-13: a place that one entry may change holds no links for another`() async throws {
        let other = try TemporaryFolder()
        chmod(other.url.path, 0o755)
        let own = try project.make("own", in: other)
        let real = try project.make("real/data", in: other)
        try Data("real\n".utf8).write(to: URL(filePath: real + "/key"))
        let link = own.dropLast(3) + "link"
        try FileManager.default.createSymbolicLink(atPath: String(link), withDestinationPath: "real")
        try project.write(
            """
            run:
              - { program: sh, write: ['\(own)'] }
              - { program: cat, read: ['\(own)/data', '\(link)/data'] }
              - { program: head, read: ['\(link)/data'] }

            """)
        try await project.allow()
        try await plant("data", in: own, to: secret)
        let read = try await project.run(["run", "--", "cat", "\(own)/data/key"])
        #expect(read.status == 126 && !read.output.contains("secret\r\n"), "\(read.output)")
        // The owner of a link tells root which links a program made.
        let reason =
            geteuid() == 0 ? "a program in a sandbox made this link" : "a link, and a program that may write in"
        #expect(read.output.contains("/own/data") && read.output.contains(reason), "\(read.output)")
        let wanted = try await project.run(["run", "--", "head", "-n1", "\(link)/data/key"])
        #expect(wanted.status == 0 && wanted.output.contains("real\r\n"), "\(wanted.output)")
    }

    /// A system has links such as `/var/lock`, beside which no entry can write.
    @Test(arguments: ["write", "write-execute"])
    func `an entry may write in a place whose own path is a link of the system`(option: String) async throws {
        let other = try TemporaryFolder()
        chmod(other.url.path, 0o755)
        let real = try project.make("real", in: other)
        let link = String(real.dropLast(4) + "link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real")
        try project.write("run: [{ program: touch, \(option): ['\(link)'] }]\n")
        try await project.allow()
        let written = try await project.run(["run", "--", "touch", link + "/new"])
        #expect(written.status == 0, "\(written.output)")
        #expect(FileManager.default.fileExists(atPath: real + "/new"))
    }

    @Test(arguments: ["read", "write", "execute"])
    func `DEPUTY-13: a place that is named through a link holds no links for another entry`(
        option: String
    ) async throws {
        let other = try TemporaryFolder()
        chmod(other.url.path, 0o755)
        let real = try project.make("real/data", in: other)
        let own = String(real.dropLast(5))
        try project.make("real", in: other)
        let link = String(own.dropLast(4) + "link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real")
        for (written, used) in [(link, own), (own, link), (link, link)] {
            try project.write(
                """
                run:
                  - { program: sh, write: ['\(written)'] }
                  - { program: ls, \(option): ['\(used)/data'] }

                """)
            try await project.allow()
            try await plant("data", in: written, to: secret)
            let read = try await project.run(["run", "--", "ls", "\(used)/data/", secret])
            #expect(read.status == 126 && !read.output.contains("key\r\n"), "\(read.output)")
            let reason = geteuid() == 0 ? "a program in a sandbox made this link" : "data is a link, and a program"
            #expect(read.output.contains(reason), "\(read.output)")
        }
    }

    @Test func `a link that is wanted is written as its target`() async throws {
        let target = try project.make("target")
        try Data("wanted\n".utf8).write(to: URL(filePath: target + "/key"))
        try FileManager.default.createSymbolicLink(atPath: project.place + "/wanted", withDestinationPath: "target")
        try project.write(entries("{ program: cat, read: [wanted] }"))
        try await project.allow()
        let refused = try await project.run(["run", "--", "cat", "wanted/key"])
        #expect(
            refused.status == 126 && refused.output.contains("name its target (target) instead"), "\(refused.output)")
        try project.write(entries("{ program: cat, read: [target] }"))
        try await project.allow()
        let read = try await project.run(["run", "--", "cat", "target/key"])
        #expect(read.status == 0 && read.output.contains("wanted\r\n"), "\(read.output)")
    }

    @Test func `DEPUTY-13: a directory that is exchanged for a link meanwhile gives nothing`() async throws {
        try project.write(entries("{ program: cat, read: [work/data] }"))
        try await project.allow()
        try Data("plain\n".utf8).write(to: URL(filePath: project.place + "/work/data/key"))
        try FileManager.default.createSymbolicLink(atPath: project.place + "/work/link", withDestinationPath: secret)
        let exchange = try ChildProcess(
            URL(filePath: "/bin/sh"),
            arguments: ["-c", "while :; do mv -T data old; mv -T link data; mv -T data link; mv -T old data; done"],
            in: URL(filePath: project.place + "/work"), output: .none, errors: .none)
        defer { exchange.signal(SIGKILL) }
        for _ in 0..<12 {
            let read = try await project.run(["run", "--", "cat", "work/data/key"])
            #expect(!read.output.contains("secret\r\n"), "\(read.output)")
        }
    }

    @Test func `the question says which program another entry may change`() async throws {
        try project.write(entries("{ program: ./work/viewer, read: [data] }"))
        let asked = try await project.run(["run", "--ask", "--", "true"], answers: ["n"])
        #expect(asked.output.contains("Another program of this file can change"), "\(asked.output)")
        try project.write(entries("{ program: ./viewer, read: [data] }"))
        let other = try await project.run(["run", "--ask", "--", "true"], answers: ["n"])
        #expect(!other.output.contains("Another program of this file can change"), "\(other.output)")
    }

    @Test func `DEPUTY-14: an older project file that is brought back is not used`() async throws {
        let broad = entries("{ program: cat, read: [data] }")
        try project.write(broad)
        try await project.allow()
        #expect(try await project.run(["run", "--", "cat", "data"]).status == 0)
        try project.write(entries("{ program: cat, memory: 64M }"))
        try await project.allow()
        try project.write(broad)
        let back = try await project.run(["run", "--", "cat", "data"])
        #expect(back.status != 0 && back.output.contains("is not used: it is new, or it was changed"), "\(back.output)")
    }

    @Test(arguments: ["run: []\n", "run: [a mistake\n"])
    func `DEPUTY-14: a removed line withdraws without a question`(text: String) async throws {
        let broad = entries("{ program: cat, read: [data] }")
        try project.write(broad)
        try await project.allow()
        try project.write(text)
        // The next run of any program in this directory sees the change.
        #expect(try await project.run(["run", "--", "true"]).status == 0)
        try project.write(broad)
        let back = try await project.run(["run", "--", "cat", "data"])
        #expect(back.status != 0 && back.output.contains("is not used"), "\(back.output)")
    }

    @Test func `DEPUTY-14: a remembered answer replaces what was allowed before`() async throws {
        let before = "run:\n  - { program: cat, read: [data] }\n"
        try project.write(before)
        try await project.allow()
        let script = ["run", "--ask", "--", "sh", "-c", "cat data", "sh", "data"]
        let remembered = try await project.run(script, answers: ["1r"])
        #expect(remembered.status == 0, "\(remembered.output)")
        #expect(try await project.run(["run", "--", "cat", "data"]).status == 0)
        try project.write(before)
        let back = try await project.run(["run", "--", "cat", "data"])
        #expect(back.status != 0 && back.output.contains("is not used"), "\(back.output)")
    }
}
