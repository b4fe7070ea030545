import Testing

/// A program as Debian ships it, and what it does with files that it is handed: `IN` and `OUT` stand for the two folders.
struct OrdinaryProgram: Sendable, CustomTestStringConvertible {
    let name: String
    let arguments: [String]
    /// What the shell pipes into it; nothing where empty.
    let input: String

    init(_ name: String, _ arguments: String..., input: String = "") {
        self.name = name
        self.arguments = arguments
        self.input = input
    }

    var testDescription: String { ([name] + arguments).joined(separator: " ") }

    static let all: [OrdinaryProgram] = interpreters + converters + archivers + textTools + builders

    private static let interpreters = [
        OrdinaryProgram("python3", "-c", python),
        OrdinaryProgram("perl", "-ne", "print uc if /word3/", "IN/text.txt"),
        OrdinaryProgram("lua5.4", "-e", "for l in io.lines('IN/text.txt') do n=(n or 0)+#l end print(n)"),
        OrdinaryProgram("node", "--jitless", "-e", "console.log([1,2,3].map(x => x * x), process.argv.length)"),
        OrdinaryProgram("bash", "-c", "for i in 1 2 3; do echo $i | cat; done; (exit 3); echo $?; ls IN; exit 7"),
        OrdinaryProgram("dash", "-c", "cd OUT && echo made > made && wc -c < made; exit 9"),
        OrdinaryProgram("jq", "-c", "[.a[2].b, .d]", "IN/data.json"),
        OrdinaryProgram("sqlite3", "OUT/t.db", "create table t(a); insert into t values(1),(2); select sum(a) from t;"),
        OrdinaryProgram("bc", input: "2^200\n"),
        OrdinaryProgram("m4", "IN/macros.m4"),
    ]

    /// Threads, a process of its own, temporary files, hashes: what most scripts come to in the end.
    private static let python = """
        import hashlib, json, subprocess, tempfile, threading, zlib
        data = open('IN/text.txt', 'rb').read()
        print(hashlib.sha256(data).hexdigest(), len(zlib.compress(data)), json.load(open('IN/data.json'))['d'])
        print(subprocess.run(['wc', '-l', 'IN/text.txt'], capture_output=True, text=True).stdout.split()[0])
        thread = threading.Thread(target=print, args=('thread',)); thread.start(); thread.join()
        with tempfile.TemporaryFile() as file: file.write(b'x' * 100000); print(file.tell())
        open('OUT/python', 'w').write('written')
        """

    private static let converters = [
        OrdinaryProgram("convert-im6.q16", "IN/in.ppm", "-resize", "50%", "-strip", "OUT/small.gif"),
        OrdinaryProgram("identify-im6.q16", "-format", "%m %w %h %k", "IN/in.ppm"),
        OrdinaryProgram("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=d=1:s=64x48:r=5", "-f", "framemd5", "-"),
        OrdinaryProgram("ffprobe", "-v", "error", "-show_streams", "IN/in.ppm"),
        OrdinaryProgram("pdftotext", "IN/page.pdf", "-"),
        OrdinaryProgram("file", "IN/in.ppm", "IN/text.txt", "IN/page.pdf", "IN/data.json"),
        OrdinaryProgram("iconv", "-f", "utf8", "-t", "utf16", "IN/text.txt"),
        OrdinaryProgram("openssl", "dgst", "-sha512", "IN/text.txt"),
    ]

    private static let archivers = [
        OrdinaryProgram(
            "tar", "--sort=name", "--mtime=@0", "--numeric-owner", "--owner=0", "--group=0", "-C", "IN", "-cf",
            "OUT/in.tar", "."),
        OrdinaryProgram("gzip", "-nc", "IN/text.txt"),
        OrdinaryProgram("bzip2", "-c", "IN/text.txt"),
        OrdinaryProgram("xz", "-T2", "-c", "IN/text.txt"),
        OrdinaryProgram("zstd", "-q", "-T2", "-c", "IN/text.txt"),
        OrdinaryProgram("cp", "-r", "IN", "OUT/copy"),
    ]

    private static let textTools = [
        OrdinaryProgram("mawk", "{ n += $2 } END { print n }", "IN/text.txt"),
        OrdinaryProgram("gawk", "{ n += $2 } END { print n }", "IN/text.txt"),
        OrdinaryProgram("sed", "-E", "s/word([0-9])$/<\\1>/", "IN/text.txt"),
        OrdinaryProgram("grep", "-nE", "word1[0-3]", "IN/text.txt"),
        OrdinaryProgram("grep", "nowhere", "IN/text.txt"),
        OrdinaryProgram("sort", "--parallel=4", "-S", "1M", "-k2n", "IN/text.txt"),
        OrdinaryProgram("find", "IN", "-name", "*.txt"),
        OrdinaryProgram("xargs", "-n", "3", "echo", input: "a b c d e f g\n"),
        OrdinaryProgram("sha256sum", "IN/text.txt"),
        OrdinaryProgram("base64", "IN/text.txt"),
        OrdinaryProgram("od", "-An", "-tx1", "IN/data.json"),
        OrdinaryProgram("diff", "--label", "a", "--label", "b", "-u", "IN/text.txt", "IN/other.txt"),
        OrdinaryProgram("patch", "--read-only=ignore", "-o", "OUT/patched", "IN/text.txt", "IN/change.patch"),
        OrdinaryProgram("tee", "OUT/tee", input: "said twice\n"),
        OrdinaryProgram("cat", "IN/missing.txt"),
        OrdinaryProgram("timeout", "0.2", "sleep", "5"),
    ]

    private static let builders = [
        OrdinaryProgram("git", "diff", "--no-index", "--stat", "IN/text.txt", "IN/other.txt"),
        OrdinaryProgram("gcc", "-O1", "-S", "-o", "-", "IN/hello.c"),
        OrdinaryProgram("make", "-sf", "IN/Makefile"),
    ]
}
