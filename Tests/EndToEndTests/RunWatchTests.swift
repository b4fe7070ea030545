import AnnexTestSupport
import Foundation
import Glibc
import Testing

/// Programs that watch files.
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(if: access("/usr/bin/python3", X_OK) == 0, "there is no /usr/bin/python3 here"))
struct RunWatchTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
    }

    private static let beginning = """
        import ctypes, os, sys
        libc = ctypes.CDLL(None, use_errno=True)
        def failed(result):
            return os.strerror(ctypes.get_errno()) if result < 0 else "done"

        """

    private func run(_ options: [String], python script: String) async throws -> Program {
        try await Program.annex(
            ["run"] + options + ["--", "/usr/bin/python3", "-c", Self.beginning + script], in: folder)
    }

    /// Whether this process may limit inotify in a namespace of its own.
    private static let isLimited = {
        var facts = statvfs()
        return statvfs("/proc/sys/user", &facts) == 0 && facts.f_flag & UInt(ST_RDONLY) == 0
    }()

    @Test(.enabled(if: isLimited, "/proc/sys is read-only here, so no program watches files"))
    func `a program is told of changes`() async throws {
        let script = """
            queue = libc.inotify_init1(0)
            libc.inotify_add_watch(queue, b".", 0x100)
            open("new", "w").close()
            print(os.read(queue, 4096).rstrip(b"\\0")[-3:].decode())
            """
        let ran = try await run(["--write", "."], python: script)
        #expect(ran.output == "new\n" && ran.status == 0, "\(ran.errors)")
    }

    @Test(.enabled(if: isLimited, "/proc/sys is read-only here, so no program watches files"))
    func `only an allowance shows who opens files, and the hint names it`() async throws {
        let script = """
            queue = libc.inotify_init1(0)
            answer = failed(libc.inotify_add_watch(queue, b"/usr/bin", 0x20))
            print(answer, file=sys.stderr)
            sys.exit(answer != "done")
            """
        let failed = try await run([], python: script)
        #expect(failed.status == 1 && failed.errors.contains("Operation not permitted"), "\(failed.errors)")
        #expect(failed.errors.contains("--allow watch"), "\(failed.errors)")
        let worked = try await run(["--allow", "watch"], python: script)
        #expect(worked.status == 0, "\(worked.errors)")
    }

    /// A number in a file of `/proc/sys`.
    private static func number(_ name: String) -> Int? {
        (try? String(contentsOfFile: "/proc/sys/" + name, encoding: .utf8)).flatMap {
            Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    @Test(.enabled(if: isLimited, "/proc/sys is read-only here, so no program watches files"))
    func `FS-27: a program cannot use up the queues of its user`() async throws {
        let own = [Self.number("user/max_inotify_instances"), Self.number("fs/inotify/max_user_instances")]
        let part = min(64, try #require(own.compactMap(\.self).min()) / 4)
        let ran = try await run(
            ["--allow", "watch"],
            python: """
                made = 0
                while libc.inotify_init1(0) >= 0: made += 1
                print(made, failed(-1), sep=",")
                """)
        #expect(ran.output == "\(part),Too many open files\n", "\(ran.output)\(ran.errors)")
    }

    @Test(
        .enabled(if: isLimited, "/proc/sys is read-only here, so no program watches files"),
        .enabled(if: WholeProc.isPossible, "a part of /proc is hidden here, so no sandbox may show all of it"))
    func `FS-27: a program cannot use up the watches of its user`() async throws {
        let own = [Self.number("user/max_inotify_watches"), Self.number("fs/inotify/max_user_watches")]
        let part = min(1 << 18, try #require(own.compactMap(\.self).min()) / 4)
        let ran = try await run(
            ["--allow", "proc"], python: "print(open('/proc/sys/user/max_inotify_watches').read().strip())")
        #expect(ran.output == "\(part)\n", "\(ran.output)\(ran.errors)")
    }

    @Test(.enabled(if: geteuid() == 0 && isLimited, "needs root, to make /proc/sys read-only"))
    func `where Annex cannot limit them, a program gets no queue`() async throws {
        let policy = "policy: p\nsummary: A test.\nincludes: [tool]\npaths: { proc: none }\n"
        try Data(policy.utf8).write(to: folder.url.appending(path: "p.yaml"))
        let script = """
            print("inotify: " + failed(libc.inotify_init1(0)), file=sys.stderr)
            sys.exit(1)
            """
        let command =
            "mount --make-rprivate / && mount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys && "
            + "exec \"$0\" run --policy p.yaml -- /usr/bin/python3 -c \"$1\""
        let ran = try await Program.run(
            "/usr/bin/unshare",
            ["-m", "/bin/sh", "-c", command, ChildProcess.executable("annex").path, Self.beginning + script],
            in: folder)
        #expect(ran.errors.contains("inotify: Function not implemented"), "\(ran.errors)")
    }
}
