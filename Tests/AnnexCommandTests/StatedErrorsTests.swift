import Glibc
import Testing

@testable import AnnexCommand

/// The errors that a program printed decide which true cause a hint names first.
@Suite(.timeLimit(.minutes(20))) struct StatedErrorsTests {
    private static func errors(_ text: String) -> StatedErrors {
        StatedErrors(Array(text.utf8), directory: "/srv/here")
    }

    @Test(
        arguments: [
            ("cat: a.c: No such file or directory", ENOENT, ["/srv/here/a.c"]),
            ("make: ./a: Permission denied", EACCES, ["/srv/here/./a"]),
            ("sh: 1: cannot create y: Read-only file system", EROFS, ["/srv/here/y"]),
            ("touch: cannot touch 'yy': Read-only file system", EROFS, ["/srv/here/yy"]),
            ("bash: line 1: y: Read-only file system", EROFS, ["/srv/here/y"]),
            ("OSError: [Errno 30] Read-only file system: 'out'", EROFS, ["/srv/here/out"]),
            ("tool: cannot write y (Read-only file system)", EROFS, ["/srv/here/y"]),
            (
                "fork/exec /tmp/b001/exe/main: permission denied", EACCES,
                ["/tmp/b001/exe/main", "/srv/here/fork/exec"]
            ),
            ("Error: EACCES: permission denied, open '/etc/x.conf'", EACCES, ["/etc/x.conf"]),
            ("PermissionError: [Errno 13] Permission denied: '/opt/a b'", EACCES, ["/opt/a"]),
            ("touch: cannot touch 'out': Permission denied", EACCES, ["/srv/here/out"]),
            ("bash: line 1: out: Permission denied", EACCES, ["/srv/here/out"]),
            ("/usr/bin/ld: cannot open output file prog: Permission denied", EACCES, ["/srv/here/prog"]),
            ("tar: t: Cannot mkdir: Permission denied", EACCES, ["/srv/here/t"]),
            ("/opt/tool: /srv/data: Permission denied", EACCES, ["/srv/data"]),
            ("/srv/data: Cannot open: Permission denied", EACCES, ["/srv/data"]),
            ("./made: Permission denied", EACCES, ["/srv/here/./made"]),
            ("/srv/out: Read-only file system", EROFS, ["/srv/out"]),
            ("PermissionError: [Errno 13] Permission denied: 'out'", EACCES, ["/srv/here/out"]),
            ("cat: link: No such file or directory", ENOENT, ["/srv/here/link"]),
            ("ls: cannot access 'link': No such file or directory", ENOENT, ["/srv/here/link"]),
            ("python3: libx.so: failed to map segment from shared object", EACCES, ["/srv/here/libx.so"]),
            ("\u{1B}[31mcp: cannot stat '/srv/data'\u{1B}[0m: No such file or directory", ENOENT, ["/srv/data"]),
            ("bash: fork: retry: Resource temporarily unavailable", EAGAIN, []), ("MemoryError", ENOMEM, []),
            ("OSError: [Errno 97] Address family not supported by protocol", EAFNOSUPPORT, []),
        ] as [(String, Int32, [String])])
    func `the errno and the paths of a line are found`(line: String, errno: Int32, paths: [String]) throws {
        let found = try #require(Self.errors("first\n" + line + "\n").lines.first)
        #expect(found.errno == errno && found.paths.starts(with: paths), "\(found)")
    }

    @Test(
        arguments: [
            ("touch: cannot touch 'new': Read-only file system", ["new"]),
            ("sh: 1: cannot create ../zz: Permission denied", ["../zz"]),
            ("bash: line 1: y: Read-only file system", ["y"]), ("tool: cannot write y (Read-only file system)", ["y"]),
            ("mkdir: cannot create directory ‘a b’: Permission denied", ["a b"]),
            ("OSError: [Errno 30] Read-only file system: 'out'", ["out"]),
            ("tar: t: Cannot mkdir: Permission denied", ["t"]),
            ("Error: EROFS: read-only file system, open '/srv/x'", ["/srv/x"]),
            ("open /srv/x: permission denied", ["/srv/x"]),
            ("cat: '/srv/x'$'\\033''y': Permission denied", []),
            ("can't save `a': Permission denied", ["a"]), ("foo:bar/baz: Read-only file system", ["foo:bar/baz"]),
            ("warning: opening /proc/PID/mem file for lwp 29983.29983 failed: Read-only file system (30)", []),
            (
                "[8317:8358:1130/125000.910747:ERROR:content/browser/zygote_host/zygote_host_impl_linux.cc:312] Failed to "
                    + "adjust OOM score of renderer with pid 42: Permission denied (13)", []
            ),
            ("a.b c/d e: failed: Permission denied", []), ("see a/b.c. Permission denied", []),
            ("mkstemp: Read-only file system", []), ("ping: socket: Permission denied", []),
        ] as [(String, [String])])
    func `only a name in quotes or beside the error is without doubt its subject`(line: String, names: [String]) throws
    {
        let found = try #require(Self.errors(line + "\n").lines.first)
        #expect(found.subjects == names.map { $0.hasPrefix("/") ? $0 : "/srv/here/" + $0 }, "\(found)")
    }

    @Test func `a call that failed is not the name of a file`() throws {
        for line in ["mkstemp: Read-only file system", "error: Read-only file system (os error 30)"] {
            let found = try #require(Self.errors(line + "\n").lines.first)
            #expect(found.errno == EROFS && found.paths.isEmpty, "\(found)")
        }
        #expect(Self.errors("Saving key \"/srv/k\" failed: No such file or directory\n").lines.first?.makesFile == true)
    }

    @Test func `the last line comes first and lines without an error do not count`() {
        let errors = Self.errors("a: Permission denied\nb: No such file or directory\nmake: *** [all] Error 1\n")
        #expect(errors.lines.map(\.errno) == [ENOENT, EACCES])
        #expect(errors.states(EACCES) && !errors.states(EROFS) && errors.mention("*** [all]"))
    }

    @Test func `DEPUTY-11: long lines and many names are bounded`() {
        let names = (0..<1_000).map { "/\($0)" }.joined(separator: " ")
        let errors = Self.errors(String(repeating: "x\n", count: 10_000) + names + ": No such file or directory\n")
        #expect(errors.lines.isEmpty || errors.lines[0].paths.count <= 16)
        #expect(Self.errors(String(repeating: "Permission denied ", count: 100_000)).lines.count == 1)
    }

    @Test func `DEPUTY-11: of ten thousand printed paths, the last ones are kept`() {
        let errors = Self.errors((0..<10_000).map { "/srv/\($0) x" }.joined(separator: "\n"))
        #expect(errors.printed.count == 64 && errors.printed.first == "/srv/9999")
        let line = Self.errors((0..<10_000).map { "/srv/\($0)" }.joined(separator: " "))
        #expect(line.printed.count <= 16)
    }

    @Test(arguments: [
        ("Cannot connect at unix:///run/x.sock. Is it running?", ["/run/x.sock"]),
        ("dial unix /run/y.sock: connect: no such file", ["/run/y.sock"]), ("fatal: a b c", []),
        ("see file:///srv/a and http://host/b", ["/srv/a"]),
    ])
    func `the paths of a line without a known error are found`(line: String, paths: [String]) {
        #expect(Self.errors(line).printed == paths)
    }

    @Test func `words about something missing can be names of programs`() {
        #expect(Self.errors("sh: 1: cargo: not found").missingNames.contains("cargo"))
        #expect(Self.errors("env: ‘node’: No such file or directory").missingNames.contains("node"))
        #expect(Self.errors("node: Permission denied").missingNames.isEmpty)
    }

    @Test func `DEPUTY-11: any bytes are read without a fault`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var bytes = (0..<Int.random(in: 0..<200)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            bytes += Array(["\u{1B}[", "Permission denied", "'/", "\r", ": "].randomElement()?.utf8 ?? "".utf8)
            let errors = StatedErrors(bytes, directory: nil)
            #expect(errors.lines.allSatisfy { $0.paths.allSatisfy { $0.hasPrefix("/") } })
        }
    }
}
