import AnnexTestSupport
import Foundation
import Testing

/// A project and a home in which `annex run` runs on a terminal of 24 lines. Each of its questions gets an answer.
struct AskedProject {
    let folder: TemporaryFolder
    let home: TemporaryFolder

    init() throws {
        (folder, home) = (try TemporaryFolder(), try TemporaryFolder())
        for place in [folder, home] { chmod(place.url.path, 0o755) }
        try Data("one\n".utf8).write(to: folder.url.appending(path: "data"))
        chmod(folder.url.path + "/data", 0o644)
    }

    /// The project's directory without links.
    var place: String { folder.url.resolvingSymlinksInPath().path }
    var file: URL { folder.url.appending(path: ".annex.yaml") }

    /// Writes the project file.
    func write(_ text: String, mode: mode_t = 0o644) throws {
        try Data(text.utf8).write(to: file)
        chmod(file.path, mode)
    }

    /// Makes a directory of the project into which every user may write. If root runs the test, the sandboxed program
    /// runs as another user.
    @discardableResult
    func make(_ name: String, in other: TemporaryFolder? = nil) throws -> String {
        let path = (other ?? folder).url.resolvingSymlinksInPath().path + "/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        chmod(path, 0o777)
        return path
    }

    /// Runs `annex` on a terminal and gives one answer to each of its questions.
    func run(_ arguments: [String], answers: [String] = []) async throws -> Program {
        try #require(access("/usr/bin/python3", X_OK) == 0, "python3 is needed to make a terminal")
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run(
            "/usr/bin/python3", ["-c", Self.terminal, answers.joined(separator: ","), annex] + arguments, in: folder,
            environment: ["HOME": home.url.path, "XDG_STATE_HOME": "", "TERM": "xterm"])
    }

    /// Lets the user see the project file, and allow it.
    func allow() async throws {
        let allowed = try await run(["run", "--ask", "--", "true"], answers: ["y"])
        try #require(allowed.status == 0 && allowed.output.contains("is new, or it was changed"), "\(allowed.output)")
    }

    /// Runs a program on a terminal. Each time the terminal shows a question, this script types the next answer.
    private static let terminal = """
        import fcntl, os, pty, select, struct, sys, termios
        answers, command = sys.argv[1].split(','), sys.argv[2:]
        child, master = pty.fork()
        if child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
            os.execv(command[0], command)
        shown, seen = b'', 0
        while True:
            if not select.select([master], [], [], 120)[0]: break
            try: piece = os.read(master, 65536)
            except OSError: break
            if not piece: break
            shown += piece
            mark = max(shown.rfind(b'(any other answer: none)'), shown.rfind(b'any other answer: no)'))
            if mark > seen and shown.endswith(b'\\n'):
                seen = len(shown)
                select.select([], [], [], 0.3)
                os.write(master, (answers.pop(0) if answers else '').encode() + b'\\n')
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.buffer.write(shown)
        sys.stdout.flush()
        os._exit(status if 0 <= status < 256 else 255)
        """
}
