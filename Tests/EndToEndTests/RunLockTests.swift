import AnnexTestSupport
import Foundation
import Testing

/// The locks of a program under `annex run`: how many it gets, and on which files.
@Suite(.timeLimit(.minutes(20))) struct RunLockTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a line in a shell, which prepares the files. `annex` is the program.
    private func shell(_ line: String) async throws -> Program {
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run("/bin/sh", ["-c", line.replacing("annex run", with: "\(annex) run")], in: folder)
    }

    @Test func `KOBJ-01: locks are counted and released ones come back`() async throws {
        let line = """
            annex run --memory 64M -- /usr/bin/python3 -c '
            import fcntl, os
            f, held = open("/tmp/a", "w"), 0
            try:
                for place in range(20000): fcntl.lockf(f, fcntl.LOCK_EX, 1, 2 * place); held += 1
            except OSError as failure: print(failure.errno)
            print(2000 < held < 8500)
            f.close()
            with open("/tmp/a", "w") as f:
                for turn in range(5000): fcntl.lockf(f, fcntl.LOCK_EX, 1, 0); fcntl.lockf(f, fcntl.LOCK_UN, 1, 0)
            print("again")'
            """
        try #require(access("/usr/bin/python3", X_OK) == 0)
        let ran = try await shell(line)
        #expect(ran.output == "37\nTrue\nagain\n", "\(ran)")
    }

    @Test func `FS-28: a program may lock a file exclusively only if it may write it`() async throws {
        let line = """
            mkdir -m 755 in; mkdir -m 777 out; echo x > in/a; echo x > out/b; chmod 666 out/b
            annex run --read in --write out -- /usr/bin/python3 -c '
            import fcntl, os
            def lock(path, how):
                try: fcntl.flock(os.open(path, os.O_RDONLY), how); return 0
                except OSError as failure: return failure.errno
            print(lock("in/a", fcntl.LOCK_SH), lock("in/a", fcntl.LOCK_EX), lock("in", fcntl.LOCK_EX | fcntl.LOCK_NB))
            print(lock("/usr/bin/env", fcntl.LOCK_EX), lock("/dev/null", fcntl.LOCK_EX))
            print(lock("out/b", fcntl.LOCK_EX | fcntl.LOCK_NB), lock("out", fcntl.LOCK_EX), lock("/tmp", fcntl.LOCK_EX))'
            """
        try #require(access("/usr/bin/python3", X_OK) == 0)
        let ran = try await shell(line)
        #expect(ran.output == "0 37 37\n37 37\n0 0 0\n", "\(ran)")
    }

    @Test func `a lock request that contains a release fails as in the kernel`() async throws {
        let line = """
            annex run -- /usr/bin/python3 -c '
            import fcntl
            one, other = open("/tmp/a", "w"), open("/tmp/a")
            try: fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_UN)
            except OSError as failure: print(failure.errno)
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            print("free")'
            """
        try #require(access("/usr/bin/python3", X_OK) == 0)
        let ran = try await shell(line)
        #expect(ran.output == "22\nfree\n", "\(ran)")
    }

    @Test func `FS-28: an exclusive lock waits for and holds up programs outside`() async throws {
        let line = """
            mkdir -m 777 out; : > out/l; chmod 666 out/l
            (flock 9; echo outside > out/who; touch out/ready; while [ ! -e out/go ]; do sleep 0.05; done; echo gives; ) 9< out/l &
            until [ -e out/ready ]; do sleep 0.05; done
            annex run --write out -- sh -c 'flock -n out/l true || echo busy; touch out/go; flock out/l sh -c "echo has; sleep 0.3"'
            wait
            flock -n out/l echo free
            """
        try #require(access("/usr/bin/flock", X_OK) == 0)
        #expect(Set(try await shell(line).output.split(separator: "\n")) == ["busy", "gives", "has", "free"])
    }
}
