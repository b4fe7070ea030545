import AnnexTestSupport
import Foundation
import Testing

/// `--allow-port` and `--publish` of `annex run`: single ports of this machine and of the program.
@Suite(.timeLimit(.minutes(20))) struct RunPortTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A port of this machine for one test. The tests of root and of an ordinary user run at the same time.
    private static func port(_ number: Int) -> String { "\(geteuid() == 0 ? number : number + 1_000)" }

    /// What the scripts outside share. `serve` answers each connection by a function, on a thread of its own.
    private static let outside = """
        import socket, subprocess, sys, threading, os
        annex = sys.argv[1]
        def serve(answer, family=socket.AF_INET, host='127.0.0.1'):
            listener = socket.socket(family)
            listener.bind((host, 0))
            listener.listen(64)
            def work():
                while True:
                    peer, _ = listener.accept()
                    threading.Thread(target=answer, args=(peer,), daemon=True).start()
            threading.Thread(target=work, daemon=True).start()
            return listener.getsockname()[1]
        def free():
            with socket.socket() as probe:
                probe.bind(('127.0.0.1', 0))
                return probe.getsockname()[1]
        def start(options, script, *words):
            inside = ['/usr/bin/python3', '-u', '-c', 'import errno, socket, sys\\n' + script]
            inside += [str(word) for word in words]
            return subprocess.Popen([annex, 'run'] + options + ['--'] + inside, stdout=subprocess.PIPE, text=True)
        def run(options, script, *words):
            child = start(options, script, *words)
            said = child.communicate()[0]
            print(child.returncode, said.strip())
        def echo(peer):
            while True:
                data = peer.recv(65536)
                if not data: break
                peer.sendall(data)
            peer.close()

        """

    /// Runs a script of Python outside the sandbox, and in it scripts inside.
    private func python(_ script: String) async throws -> Program {
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run("/usr/bin/python3", ["-c", Self.outside + script, annex], in: folder)
    }

    @Test func `NET-11: a program reaches an allowed port and no other port or address`() async throws {
        let said = try await python(
            """
            port, other = serve(echo), serve(echo)
            datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            datagrams.bind(('127.0.0.1', port))
            datagrams.setblocking(False)
            script = '''
            def ask(host, port, family=socket.AF_INET):
                try:
                    peer = socket.create_connection((host, port))
                    peer.sendall(b'hello')
                    return peer.recv(9).decode()
                except OSError as error: return errno.errorcode[error.errno]
            port, other, own = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
            print(ask('127.0.0.1', port), ask('::1', port), sep=' ')
            for host, number in (('127.0.0.1', other), ('127.0.0.2', port), (own, port)):
                print(ask(host, number) in ('ECONNREFUSED', 'EACCES', 'ENETUNREACH'))
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', port))
            '''
            routes = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            try: routes.connect(('192.0.2.1', 9)); own = routes.getsockname()[0]
            except OSError: own = '192.0.2.1'
            run(['--allow-port', str(port)], script, port, other, own)
            run(['--allow-port', str(port), '--allow', 'loopback'], script, port, other, own)
            try: print('datagram', datagrams.recv(9))
            except BlockingIOError: print('no datagram')
            """)
        let once = "0 hello hello\nTrue\nTrue\nTrue\n"
        #expect(said.output == once + once + "no datagram\n", "\(said)")
    }

    @Test func `bytes arrive complete in both directions and each end is passed on`() async throws {
        let said = try await python(
            """
            def total(peer):
                count = 0
                while True:
                    data = peer.recv(65536)
                    if not data: break
                    count += len(data)
                peer.sendall(b'%d ' % count + b'z' * 8_000_000)
                peer.close()
            port = serve(total)
            run(['--allow-port', str(port)], '''
            peer = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
            for _ in range(100): peer.sendall(b'a' * 100_001)
            peer.shutdown(socket.SHUT_WR)
            data = b''
            while True:
                more = peer.recv(65536)
                if not more: break
                data += more
            print(data.split()[0].decode(), len(data))
            ''', port)
            """)
        #expect(said.output == "0 10000100 8000009\n", "\(said)")
    }

    @Test func `a receiver that reads nothing stops its sender`() async throws {
        let said = try await python(
            """
            port = serve(lambda peer: threading.Event().wait())
            run(['--allow-port', str(port)], '''
            import select
            peer = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
            peer.setblocking(False)
            sent = 0
            while select.select([], [peer], [], 1)[1] and sent < 1 << 30: sent += peer.send(b'a' * 65536)
            print(sent < 256 << 20)
            ''', port)
            """)
        #expect(said.output == "0 True\n", "\(said)")
    }

    @Test func `a connection that this machine refuses is reset`() async throws {
        let said = try await python(
            """
            # A bound socket that does not listen keeps the port free.
            held = socket.socket()
            held.bind(('127.0.0.1', 0))
            port = held.getsockname()[1]
            run(['--allow-port', str(port)], '''
            try:
                peer = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
                print(peer.recv(1))
            except OSError as error: print(errno.errorcode[error.errno])
            ''', port)
            """)
        #expect(said.output == "0 ECONNRESET\n", "\(said)")
    }

    @Test func `NET-12: a flood of connections leaves nothing in annex`() async throws {
        let said = try await python(
            """
            port = serve(echo)
            child = start(['--allow-port', str(port)], '''
            port = int(sys.argv[1])
            socket.create_connection(('127.0.0.1', port)).close()
            held = []
            for _ in range(100): held.append(socket.create_connection(('127.0.0.1', port)))
            for peer in held: peer.close()
            for _ in range(600):
                peer = socket.create_connection(('127.0.0.1', port))
                peer.sendall(b'x')
                peer.recv(1)
                peer.close()
            peer = socket.create_connection(('127.0.0.1', port))
            peer.sendall(b'y')
            print(peer.recv(1).decode(), flush=True)
            peer.recv(1)
            ''', port)
            print(child.stdout.readline().strip())
            def sockets():
                count = 0
                for number in os.listdir(f'/proc/{child.pid}/fd'):
                    # annex may have closed a descriptor since it was listed.
                    try: count += os.readlink(f'/proc/{child.pid}/fd/{number}').startswith('socket:')
                    except FileNotFoundError: pass
                return count
            for _ in range(200):
                if sockets() < 20: break
                threading.Event().wait(0.05)
            print(sockets() < 20)
            child.terminate()
            child.wait()
            """)
        #expect(said.output == "y\nTrue\n", "\(said)")
    }

    @Test func `a published port answers at the loopback addresses of this machine only`() async throws {
        let said = try await python(
            """
            port = free()
            for host, family in (('127.0.0.1', socket.AF_INET), ('::1', socket.AF_INET6)):
                child = start(['--publish', f'{port}:3000'], '''
                listener = socket.socket(socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET)
                listener.bind((sys.argv[1], 3000))
                listener.listen()
                print('up')
                for _ in range(100):
                    peer, _ = listener.accept()
                    data = b''
                    while True:
                        more = peer.recv(65536)
                        if not more: break
                        data += more
                    peer.sendall(data[::-1])
                    peer.close()
                '''.replace('\\n    ', '\\n').strip(), host)
                child.stdout.readline()
                right = 0
                for number in range(100):
                    peer = socket.create_connection((('127.0.0.1', '::1')[number % 2], port))
                    peer.sendall(b'a' * 300_000 + b'%d' % number)
                    peer.shutdown(socket.SHUT_WR)
                    data = b''
                    while True:
                        more = peer.recv(65536)
                        if not more: break
                        data += more
                    right += len(data) > 300_000 and data.startswith(b'%d' % (number % 10))
                try: socket.create_connection(('127.0.0.2', port)); print('open')
                except OSError: print('closed')
                print(right, child.wait())
            """)
        #expect(said.output == "closed\n100 0\nclosed\n100 0\n", "\(said)")
    }

    @Test func `the last bytes of a server that ends arrive`() async throws {
        let said = try await python(
            """
            port = free()
            child = start(['--publish', str(port)], '''
            listener = socket.socket()
            listener.bind(('127.0.0.1', int(sys.argv[1])))
            listener.listen()
            print('up')
            listener.accept()[0].sendall(b'z' * 200_000)
            ''', port)
            child.stdout.readline()
            peer, count = socket.create_connection(('127.0.0.1', port)), 0
            while True:
                more = peer.recv(1000)
                if not more: break
                count += len(more)
            print(count, child.wait())
            """)
        #expect(said.output == "200000 0\n", "\(said)")
    }

    @Test func `a published port in use is an error before the start`() async throws {
        let said = try await python(
            """
            port = serve(echo)
            run(['--publish', str(port)], "print('started')")
            """)
        #expect(said.output == "126 \n", "\(said)")
        #expect(said.errors.contains("ports: another program of this machine listens at 127.0.0.1:"), "\(said)")
    }

    @Test func `ports and the whole network exclude each other`() async throws {
        for option in ["--allow-port", "--publish"] {
            let line = ["run", option, "3000", "--allow", "network", "--", "true"]
            let said = try await Program.annex(line, in: folder)
            #expect(said.status == 126, "\(said)")
            #expect(said.errors.contains("leave out either the ports or the allowance"), "\(said)")
        }
    }

    @Test func `without the allowance loopback Landlock keeps the program from other ports of its own`() async throws {
        let script = """
            import errno, socket
            try:
                socket.socket().bind(('127.0.0.1', 4000))
                print('bound')
            except OSError as error: print(errno.errorcode[error.errno])
            """
        let report = try await Program.annex("doctor", "--json", in: folder)
        for (options, wanted) in [([], "EACCES\n"), (["--allow", "loopback"], "bound\n")] {
            let line = ["run", "--publish", Self.port(3999)] + options + ["--", "/usr/bin/python3", "-c", script]
            let said = try await Program.annex(line, in: folder)
            let hasPorts = report.output.contains("TCP ports") && !report.output.contains("TCP ports need")
            #expect(said.output == (hasPorts ? wanted : "bound\n"), "\(said)")
        }
    }

    private static let hints = """
        def hint(options, script, *words):
            inside = ['/usr/bin/python3', '-u', '-c', 'import errno, socket, sys\\n' + script]
            inside += [str(word) for word in words]
            said = subprocess.run([annex, 'run'] + options + ['--'] + inside, capture_output=True, text=True)
            return [line for line in said.stderr.splitlines() if line.startswith('annex: hint')][-1:], said.returncode

        """

    @Test func `a port of this machine that the program named leads to its option, and the option works`() async throws
    {
        let said = try await python(
            Self.hints + """
                port = serve(echo)
                script = '''
                port = int(sys.argv[1])
                try: peer = socket.create_connection(('127.0.0.1', port))
                except OSError as error: sys.exit('cannot connect to localhost (127.0.0.1), port %d: %s' % (port, error))
                '''.replace('\\n    ', '\\n').strip()
                for options in ([], ['--allow', 'loopback']):
                    lines, status = hint(options, script, port)
                    print(status, f'add --allow-port {port}' in lines[0], 'network' in lines[0].split('add')[1])
                print(hint(['--allow-port', str(port)], script, port))
                """)
        #expect(said.output == "1 True False\n1 True False\n([], 0)\n", "\(said)")
    }

    @Test func `a server without a network leads to its published port, and one that no client reached too`()
        async throws
    {
        let said = try await python(
            Self.hints + """
                import signal
                port = free()
                script = '''
                listener = socket.socket()
                try: listener.bind(('0.0.0.0', int(sys.argv[1])))
                except OSError as error: sys.exit('cannot listen at 0.0.0.0:%s: %s' % (sys.argv[1], error))
                listener.listen()
                print('up')
                listener.accept()
                '''.replace('\\n    ', '\\n').strip()
                refused = script.replace('listener = socket.socket()', '''
                try: listener = socket.socket()
                except OSError as error: sys.exit('cannot listen at 0.0.0.0:%s: %s' % (sys.argv[1], error))
                '''.replace('\\n    ', '\\n').strip())
                lines, status = hint([], refused, port)
                print(status, lines[0].endswith(f'add --publish {port}'))
                inside = ['/usr/bin/python3', '-u', '-c', 'import errno, socket, sys\\n' + script, str(port)]
                errors = ''
                # The program may print before annex has learned of its start. A signal in that moment finds no program.
                while 'the program listened' not in errors:
                    child = subprocess.Popen([annex, 'run', '--allow', 'loopback', '--'] + inside,
                                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                    up = child.stdout.readline().strip()
                    child.send_signal(signal.SIGINT)
                    errors = child.communicate()[1]
                print(up)
                print(f'annex: note: the program listened at port {port} of a network of its own' in errors,
                      f'add --publish {port}' in errors)
                child = start(['--publish', str(port)], script, port)
                child.stdout.readline()
                socket.create_connection(('127.0.0.1', port)).close()
                print(child.wait())
                """)
        #expect(said.output == "1 True\nup\nTrue True\n0\n", "\(said)")
    }

    @Test func `a port that Landlock refuses has a hint if the program states the error`() async throws {
        let script = "import errno, os, sys; sys.exit('bind: ' + os.strerror(errno.EACCES))"
        let said = try await Program.annex(
            "run", "--publish", Self.port(3998), "--", "/usr/bin/python3", "-c", script, in: folder)
        #expect(said.errors.contains("neither allowed nor published: add --allow loopback"), "\(said.errors)")
        let other = try await Program.annex("run", "--", "/usr/bin/python3", "-c", script, in: folder)
        #expect(!other.errors.contains("loopback"), "\(other.errors)")
    }

    @Test func `a port below 1024 leads to another port, and no option is offered for it`() async throws {
        let script = """
            import errno, os, sys
            sys.exit('bind 0.0.0.0:881: ' + os.strerror(errno.EACCES))
            """
        let text = "ports below 1024 need a capability that no option gives: "
        let high = Self.port(9881)
        for (options, lead) in [
            (["--publish", "\(high):881"], "use --publish \(high):8881 instead of --publish \(high):881 and let"),
            (
                ["--allow", "loopback"],
                geteuid() == 0 ? "add --publish 881:8881 and let" : "add --publish 8881 and let"
            ),
        ] {
            let said = try await Program.annex(
                ["run"] + options + ["--", "/usr/bin/python3", "-c", script], in: folder)
            #expect(said.errors.contains(text + lead), "\(said.errors)")
            #expect(!said.errors.contains("--allow loopback"), "\(said.errors)")
        }
        let bound = "import socket; socket.socket().bind(('127.0.0.1', 881))"
        let real = try await Program.annex(
            "run", "--publish", "\(Self.port(9882)):881", "--", "/usr/bin/python3", "-c", bound, in: folder)
        #expect(real.errors.contains(text), "\(real.errors)")
    }

    @Test func `a login that another machine refuses is no port that Landlock refused`() async throws {
        let login = "echo 'ana@example.org: Permission denied (publickey,password).' >&2; exit 255"
        let said = try await Program.annex("run", "--publish", Self.port(3997), "--", "sh", "-c", login, in: folder)
        #expect(said.status == 255 && !said.errors.contains("loopback"), "\(said.errors)")
    }
}
