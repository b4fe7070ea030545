import AnnexTestSupport
import Foundation
import Testing

/// Conditions that delay the end of `annex run` and conditions that do not. The conditions are programs that stop and
/// readers that do not read.
@Suite(.timeLimit(.minutes(20))) struct RunWaitingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a Python script with the path of `annex` as an argument.
    private func python(
        _ script: String, _ arguments: String..., in other: TemporaryFolder? = nil
    ) async throws -> Program {
        try #require(access("/usr/bin/python3", X_OK) == 0, "python3 is needed to be a shell or a reader")
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run("/usr/bin/python3", ["-c", script, annex] + arguments, in: other ?? folder)
    }

    @Test(arguments: ["STOP", "TSTP"])
    func `a program that stops itself does not stop its watches`(signal: String) async throws {
        let ended = try await Program.annex(
            "run", "--timeout", "1", "--", "/bin/sh", "-c", "kill -\(signal) $$", in: folder)
        #expect(ended.status == 125 && ended.errors.hasPrefix("annex: ended: timeLimit: "), "\(ended)")
    }

    @Test func `a program that stops itself on a terminal does not stop its watches`() async throws {
        let ended = try await python(Self.shell, "terminal", "-", "1", "kill -STOP $$")
        #expect(ended.output == "ended 125\n", "\(ended)")
    }

    /// - Parameter input: whether the key goes to the program's terminal, or makes a signal for `annex` on the outer
    ///   terminal.
    @Test(arguments: ["terminal", "null"])
    func `TTY-04: Ctrl-Z stops annex with all of the sandbox and fg continues both`(input: String) async throws {
        // A process of another session continues to write. Its ticks show whether it runs while annex is stopped. The
        // program itself starts no child. The reason is that a shell that waits for its child to leave vfork does not
        // stop for any signal.
        let script = """
            setsid sh -c 'while sleep 0.05; do echo; done' & exec python3 -c '
            import time
            for _ in range(200): time.sleep(0.05)
            raise SystemExit(3)'
            """
        let ended = try await python(Self.shell, input, "key", "3000", script)
        let lines = ended.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "stopped" && lines.last == "ended 3", "\(ended)")
        #expect(lines.dropFirst().first == "no tick for a second", "\(ended)")
    }

    /// The program's own timer sends SIGCONT to the program. The first argument is a number of seconds. When the
    /// program has stood still for that time after annex was stopped, it exits with 7. The second argument is also a
    /// number of seconds. If the program still runs after that time, it leaves a file.
    private static let waking = """
        import ctypes, os, signal, sys, time
        class Event(ctypes.Structure):
            _fields_ = [('value', ctypes.c_void_p), ('signal', ctypes.c_int), ('way', ctypes.c_int), ('more', ctypes.c_long * 6)]
        signal.signal(signal.SIGCONT, lambda *_: None)
        library, timer = ctypes.CDLL(None), ctypes.c_void_p()
        assert library.timer_create(1, ctypes.byref(Event(None, signal.SIGCONT, 0)), ctypes.byref(timer)) == 0
        every = (ctypes.c_long * 4)(0, 200000000, 0, 200000000)
        assert library.timer_settime(timer, 0, ctypes.byref(every), None) == 0
        begun = last = time.monotonic()
        still = 0
        while still < float(sys.argv[1]):
            time.sleep(0.002)
            print(flush=True)
            if last - begun > float(sys.argv[2]): open('w/late', 'w').close()
            if os.path.exists('w/stopped'): still += max(0, time.monotonic() - last - 0.05)
            last = time.monotonic()
        sys.exit(7)
        """

    @Test func `TTY-04: a program that wakes itself while annex is stopped is stopped again`() async throws {
        let ended = try await python(
            Self.shell, "terminal", "key 3", "3000", "exec python3 -c \"$0\" 1 99", Self.waking)
        #expect(ended.output == "stopped\nno tick for a second\nended 7\n", "\(ended)")
    }

    @Test func `TTY-04: a program that wakes itself gains no time while annex is stopped`() async throws {
        // Repeats the test with a longer limit if the limit was over before the test could stop the program.
        for limit in [6, 60, 600] {
            let folder = try TemporaryFolder()
            let ended = try await python(
                Self.shell, "terminal", "key \(limit * 2)", "\(limit)", "exec python3 -c \"$0\" 1000 \(limit * 3 / 2)",
                Self.waking, in: folder)
            if ended.output == "ended 125\n", limit < 600 { continue }
            #expect(ended.output == "stopped\nno tick for a second\nended 125\n", "\(ended)")
            #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "w/late").path))
            return
        }
    }

    /// If unread input were kept, the terminal's answer to the program's last query would become input of the next
    /// program that reads the terminal.
    @Test func `input that a program left unread on the terminal is dropped`() async throws {
        let ended = try await python(Self.typist)
        #expect(ended.output == "unread\n0 0\n", "\(ended)")
    }

    /// Types input for a program that reads nothing, until bytes stay on the outer terminal for a second. Then it
    /// lets the program end, and prints how many bytes are left.
    ///
    /// The script must not block in a write. The kernel accepts typed bytes earlier than it puts them into the
    /// terminal's queue. So an empty queue does not mean that there is room.
    private static let typist = """
        import array, fcntl, os, pty, subprocess, sys, termios, time
        def unread():
            count = array.array('i', [0])
            fcntl.ioctl(ours, termios.FIONREAD, count)
            return count[0]
        def is_full():
            try: os.write(master, b'x' * 256)
            except BlockingIOError: pass
            begun = time.monotonic()
            while time.monotonic() - begun < 1:
                if unread() == 0: return False
                time.sleep(0.005)
            return True
        program = "import os, time, tty; tty.setraw(0); open('w/ready', 'w').close()" + chr(10)
        program += "while not os.path.exists('w/go'): time.sleep(0.01)"
        os.mkdir('w'); os.chmod('w', 0o777)
        master, ours = pty.openpty()
        os.set_blocking(master, False)
        annex = subprocess.Popen(
            [sys.argv[1], 'run', '--write', 'w', '--', '/usr/bin/python3', '-c', program], stdin=ours, stdout=ours,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(ours, termios.TIOCSCTTY, 0))
        while not os.path.exists('w/ready') and annex.poll() is None: time.sleep(0.005)
        while annex.poll() is None and not is_full(): pass
        print('unread', flush=True)
        open('w/go', 'w').close()
        print(annex.wait(), unread())
        """

    /// The program has ended by itself, but its output is not read. Python shows the signal that ended a program as a
    /// negative status.
    @Test(arguments: [(1, 129), (2, -2), (3, -3), (15, 143)])
    func `a signal ends the wait for a reader`(signal: Int, status: Int) async throws {
        let ended = try await python(Self.reader, "\(signal)", "3000")
        #expect(ended.output == "\(status) exited\n", "\(ended)")
    }

    @Test func `the time limit bounds the wait for a reader`() async throws {
        var ended = try await python(Self.reader, "0", "6")
        // Repeats the test with a longer limit if the limit was over before the program had ended.
        for limit in ["60", "600"] where ended.output == "125 timeLimit\n" {
            ended = try await python(Self.reader, "0", limit)
        }
        #expect(ended.output == "125 exited\n" && ended.errors.contains("was not read in time"), "\(ended)")
    }

    /// Runs a script in `annex run`. The output of `annex run` is full, and no process reads it.
    private static let reader = """
        import json, os, select, socket, subprocess, sys, time
        annex, number, limit = sys.argv[1], int(sys.argv[2]), sys.argv[3]
        ours, unread = socket.socketpair()
        unread.setblocking(False)
        try:
            while True: unread.send(b'x' * 1024)
        except BlockingIOError: pass
        unread.setblocking(True)
        script = b'echo some; echo ready >&2; : for %d' % os.getpid()
        run = subprocess.Popen(
            [annex, 'run', '--report', 'end.json', '--timeout', limit, '--', 'sh', '-c', script],
            stdin=subprocess.DEVNULL, stdout=unread, stderr=subprocess.PIPE, start_new_session=True)
        run.stderr.readline()
        if number:
            # The program has ended when no shell is left that was given this script.
            def lives(pid):
                try: return open(f'/proc/{pid}/cmdline', 'rb').read().split(b'\\0')[0::2][:2] == [b'sh', script]
                except OSError: return False
            while any(lives(pid) for pid in os.listdir('/proc') if pid.isdigit()): time.sleep(0.02)
            assert run.poll() is None
            # One that comes before annex has heard of the end is handed on to the program, which is gone.
            # After annex has printed that a signal arrived, another one would end annex itself.
            while run.poll() is None:
                run.send_signal(number)
                if select.select([run.stderr], [], [], 0.1)[0]: break
        errors = run.stderr.read()
        print(run.wait(), json.load(open('end.json'))['reason'])
        sys.stderr.write(errors.decode())
        """

    /// A shell with job control on its own terminal. The shell runs one job in the foreground, continues the job
    /// after a stop, and prints that it did so. The other end of the terminal presses Ctrl-Z.
    private static let shell = """
        import fcntl, os, select, signal, sys, termios, time
        annex, input, key, limit, *script = sys.argv[1:]
        key, _, hold = key.partition(' ')
        hold = float(hold or 1)
        os.mkdir('w')
        os.chmod('w', 0o777)
        master, terminal = os.openpty()
        heard, saying = os.pipe()
        on, going = os.pipe()
        shell = os.fork()
        if shell == 0:
            os.setsid()
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            job = os.fork()
            if job == 0:
                os.setpgid(0, 0)
                os.tcsetpgrp(terminal, os.getpid())
                signal.signal(signal.SIGTTOU, signal.SIG_DFL)
                os.dup2(terminal if input == 'terminal' else os.open('/dev/null', os.O_RDONLY), 0)
                os.dup2(terminal, 1)
                os.dup2(terminal, 2)
                os.execv(annex, [annex, 'run', '--timeout', limit, '--write', 'w', '--', 'sh', '-c', *script])
            while True:
                _, status = os.waitpid(job, os.WUNTRACED)
                if not os.WIFSTOPPED(status):
                    os.write(saying, b'ended %d' % os.waitstatus_to_exitcode(status))
                    os._exit(0)
                os.tcsetpgrp(terminal, os.getpgrp())
                os.write(saying, b'stopped')
                os.read(on, 1)
                os.tcsetpgrp(terminal, job)
                os.killpg(job, signal.SIGCONT)
        due, stopped, quiet = time.time() + 1, None, None
        while True:
            ready, _, _ = select.select([master, heard], [], [], 0.1)
            now = time.time()
            # A program that wakes itself may do so before annex has seen its stop. A user then presses the key again.
            if key == 'key' and quiet and now > due:
                os.write(master, b'\\x1a')
                due = now + 20
            if master in ready and os.read(master, 4096): quiet = now
            # What was on its way may still come; who is not stopped never leaves a whole second without a tick.
            if stopped and (now - quiet > hold or now - stopped > hold + 30):
                print('no tick for a second' if now - quiet > hold else 'ticks go on')
                stopped = None
                os.write(going, b'x')
            if heard in ready:
                news = os.read(heard, 64).decode()
                print(news)
                if news != 'stopped': break
                open('w/stopped', 'w').close()
                stopped, quiet, key = now, now, ''
        """
}
