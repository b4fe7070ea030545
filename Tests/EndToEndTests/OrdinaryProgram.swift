import Testing

/// A program from Debian, with arguments that use the files that are handed to it. `IN` and `OUT` stand for the two
/// folders.
struct OrdinaryProgram: Sendable, CustomTestStringConvertible {
    let name: String
    let arguments: [String]
    /// The text that the shell pipes into the program. If it is empty, nothing is piped.
    let input: String

    init(_ name: String, _ arguments: String..., input: String = "") {
        self.name = name
        self.arguments = arguments
        self.input = input
    }

    /// The arguments with the paths of the two folders. A path may itself contain `IN` or `OUT`, as the random names
    /// of temporary directories do, so each argument is gone through once.
    func arguments(reading input: String, writing output: String) -> [String] {
        arguments.map { argument in
            argument.replacing(/\b(IN|OUT)\b/) { $0.1 == "IN" ? input : output }
        }
    }

    var testDescription: String { ([name] + arguments).joined(separator: " ") }

    static let all: [OrdinaryProgram] =
        interpreters + converters + archivers + textTools + builders + lockers + copiers

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

    /// The usual parts of scripts: threads, a child process, temporary files, hashes.
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

    /// Programs that lock their own files, and take shared locks on files that they may read.
    private static let lockers = [
        OrdinaryProgram("sqlite3", "OUT/w.db", wal),
        OrdinaryProgram("flock", "OUT/lock", "echo", "locked"),
        OrdinaryProgram("flock", "-s", "IN/text.txt", "echo", "shared"),
        OrdinaryProgram("flock", "-w", "0.2", "OUT/lock", "flock", "-w", "0.2", "OUT/lock", "echo", "never"),
        OrdinaryProgram("python3", "-c", locks),
        OrdinaryProgram(
            "perl", "-e", "use Fcntl ':flock'; open F, '>OUT/p'; print flock(F, LOCK_EX), flock(F, LOCK_UN)"),
    ]

    private static let wal = """
        pragma journal_mode=wal; create table t(a); begin; insert into t values(1),(2); commit; insert into t values(3);
        select sum(a) from t; pragma wal_checkpoint(truncate);
        """

    /// Locks on a range that is split, on a range that another process waits for, and on a whole file.
    private static let locks = """
        import fcntl, os, time
        f = open('OUT/locks', 'w+'); f.write('x' * 100); f.flush()
        fcntl.lockf(f, fcntl.LOCK_EX, 100, 0); fcntl.lockf(f, fcntl.LOCK_UN, 1, 50)
        if os.fork() == 0:
            try: fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)
            except BlockingIOError: print('taken', flush=True)
            fcntl.lockf(f, fcntl.LOCK_EX, 1, 0); print('mine', flush=True); os._exit(0)
        time.sleep(0.2); print('given', flush=True); fcntl.lockf(f, fcntl.LOCK_UN, 100, 0); os.wait()
        g = open('OUT/locks'); fcntl.flock(f, fcntl.LOCK_EX)
        try: fcntl.flock(g, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError: print('whole')
        fcntl.flock(f, fcntl.LOCK_UN); fcntl.flock(g, fcntl.LOCK_EX | fcntl.LOCK_NB); fcntl.flock(g, fcntl.LOCK_SH)
        """

    /// Programs that must also work if some calls are denied. These calls move pages from files to pipes and other
    /// files, or set the limits of another process.
    private static let copiers = [
        OrdinaryProgram("bash", "-c", "if cat IN/text.txt | grep word1 > /dev/null; then echo there; else echo $?; fi"),
        OrdinaryProgram("bash", "-c", "ulimit -n 100; ulimit -n; ulimit -s 4096; ulimit -s; (ulimit -t 7; ulimit -t)"),
        OrdinaryProgram("cp", "--sparse=always", "IN/text.txt", "OUT/sparse"),
        OrdinaryProgram("python3", "-c", copies),
        OrdinaryProgram("node", "--jitless", "-e", "require('fs').copyFileSync('IN/text.txt', 'OUT/node')"),
        OrdinaryProgram("dd", "if=IN/text.txt", "of=OUT/dd", "bs=1k", "status=none"),
    ]

    private static let copies = """
        import os, resource, shutil
        shutil.copyfile('IN/text.txt', 'OUT/copied')
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE); resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        print(resource.getrlimit(resource.RLIMIT_NOFILE))
        a, b = open('IN/text.txt', 'rb'), open('OUT/fast', 'wb')
        os.posix_fadvise(a.fileno(), 0, 0, os.POSIX_FADV_SEQUENTIAL)
        print(os.preadv(a.fileno(), [bytearray(10)], 5), os.pwritev(b.fileno(), [b'y' * 10], 0))
        """

    private static let builders = [
        OrdinaryProgram("git", "diff", "--no-index", "--stat", "IN/text.txt", "IN/other.txt"),
        OrdinaryProgram("gcc", "-O1", "-S", "-o", "-", "IN/hello.c"),
        OrdinaryProgram("make", "-sf", "IN/Makefile"),
    ]
}
