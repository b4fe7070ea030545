import Foundation

/// A task that once failed under `tool` although an option could mend it. Today the first message names that option.
struct FailedTask: CustomStringConvertible, Sendable {
    let name: String
    /// The programs that must be installed.
    let needs: [String]
    /// The files of the working directory, by their names.
    var files: [String: String] = [:]
    /// The options of the first guess. `$DIR` stands for the working directory.
    let guess: [String]
    let script: String
    /// A part of the hint after the first guess.
    let hint: String
    /// The options that the hint leads to; nil if nothing helps, which the hint says.
    let remedy: [String]?

    var description: String { name }

    static let all: [FailedTask] = [
        FailedTask(
            name: "make runs what it built", needs: ["make", "cc"],
            files: ["Makefile": "test: a\n\t./a\na: a.c\n\tcc -o a a.c\n", "a.c": "int main(void) { return 0; }\n"],
            guess: ["--write", "."], script: "make test", hint: "use --write-execute . instead of --write .",
            remedy: ["--write-execute", "."]),
        FailedTask(
            name: "configure runs what it built", needs: ["cc"],
            files: [
                "configure":
                    "cc -o conftest a.c && ./conftest 2>log || { echo 'error: cannot run C compiled programs.' >&2; exit 1; }\n",
                "a.c": "int main(void) { return 0; }\n",
            ],
            guess: ["--write", "."], script: "sh configure", hint: "use --write-execute . instead of --write .",
            remedy: ["--write-execute", "."]),
        FailedTask(
            name: "a program of the caller", needs: ["cp"], files: ["run.sh": "cp /usr/bin/true made && ./made\n"],
            guess: ["--write", "."], script: "sh run.sh", hint: "--write-execute .", remedy: ["--write-execute", "."]),
        FailedTask(
            name: "a manager of processes in python", needs: ["python3"], guess: [],
            script: "python3 -c 'import multiprocessing; print(multiprocessing.Manager().list([1]))'",
            hint: "--allow sockets", remedy: ["--allow", "sockets"]),
        FailedTask(
            name: "a function of python for C", needs: ["python3"], guess: [],
            script: "python3 -c 'import ctypes; ctypes.CFUNCTYPE(None)(lambda: None)()'", hint: "--allow jit",
            remedy: ["--allow", "jit"]),
        FailedTask(
            name: "a just-in-time compiler", needs: ["node"], guess: [], script: "node -e 'console.log(1)'",
            hint: "--allow jit", remedy: ["--allow", "jit"]),
        FailedTask(
            name: "gpg with a password", needs: ["gpg", "gpg-agent"], files: ["data": "x\n"], guess: ["--write", "."],
            script: "gpg --batch --yes --passphrase x -c data", hint: "--allow sockets",
            remedy: ["--allow", "sockets", "--write", "."]),
        FailedTask(
            name: "a test that runs in the directory for temporary files", needs: ["cp"],
            guess: ["--write", "."],
            script: "cp /usr/bin/true ${TMPDIR:-/tmp}/made && ${TMPDIR:-/tmp}/made",
            hint: "use --write-execute . instead of --write .", remedy: ["--write-execute", "."]),
        FailedTask(
            name: "fakeroot", needs: ["fakeroot"], guess: ["--write", "."],
            script: "fakeroot sh -c 'touch made && chown root:root made && test $(stat -c %u made) = 0'",
            hint: "--allow ipc", remedy: ["--allow", "ipc", "--write", "."]),
        FailedTask(
            name: "a named pipe", needs: ["mkfifo"], guess: ["--write", "."], script: "mkfifo pipe",
            hint: "--allow sockets", remedy: ["--allow", "sockets", "--write", "."]),
        FailedTask(
            name: "a server and its client", needs: ["python3"], guess: [],
            script: """
                python3 -c '
                import socket
                server = socket.create_server(("127.0.0.1", 0))
                client = socket.create_connection(server.getsockname())
                server.accept()[0].sendall(b"hello")
                print(client.recv(5))'
                """,
            hint: "--allow loopback", remedy: ["--allow", "loopback"]),
        FailedTask(
            name: "a debugger", needs: ["strace"], guess: [], script: "strace -o /dev/null true",
            hint: "--allow debug", remedy: ["--allow", "debug"]),
        FailedTask(
            name: "an agent for keys", needs: ["ssh-agent"], guess: [], script: "ssh-agent true",
            hint: "--allow sockets", remedy: ["--allow", "sockets"]),
        FailedTask(
            name: "shared memory of a database", needs: ["python3"], guess: [],
            script: """
                python3 -c '
                import ctypes, os
                libc = ctypes.CDLL(None, use_errno=True)
                if libc.shmget(0, 4096, 0o1600) < 0:
                    raise SystemExit("shmget(0, 4096): " + os.strerror(ctypes.get_errno()))'
                """,
            hint: "--allow ipc", remedy: ["--allow", "ipc"]),
        FailedTask(
            name: "a file sent to a socket", needs: ["python3"], guess: [],
            script: """
                python3 -c '
                import os, socket
                near, far = socket.socketpair()
                os.sendfile(near.fileno(), os.open("/usr/bin/env", os.O_RDONLY), 0, 4)'
                """,
            hint: "--allow-line sendfile", remedy: ["--allow-line", "sendfile"]),
        FailedTask(
            name: "a program that the user ends because it hangs", needs: ["python3"], guess: [],
            script: """
                python3 -c '
                import os, signal, socket
                try: os.sendfile(socket.socketpair()[0].fileno(), os.open("/usr/bin/env", os.O_RDONLY), 0, 4)
                except OSError: os.kill(os.getppid(), signal.SIGTERM)'; exit 3
                """,
            hint: "if the program waited for ever, this call had failed: sendfile", remedy: nil),
        FailedTask(
            name: "the memory of the machine", needs: ["free"], guess: [], script: "free", hint: "--allow proc",
            remedy: nil),
        FailedTask(
            name: "the homes of the machine", needs: ["ls"], guess: [], script: "ls /root",
            hint: "no option hands it over",
            remedy: nil),
        FailedTask(
            name: "an object of System V", needs: ["ipcmk"], guess: [], script: "ipcmk -M 4096",
            hint: "add --allow ipc",
            remedy: ["--allow", "ipc"]),
        FailedTask(
            name: "a terminal of the program's own", needs: ["script"], guess: [],
            script: "script -q -c true /tmp/typescript", hint: "no option gives them", remedy: nil),
        FailedTask(
            name: "many threads", needs: ["python3"], guess: [],
            script: """
                python3 -c '
                import threading
                threading.stack_size(4 << 20)
                gate = threading.Event()
                for number in range(600): threading.Thread(target=gate.wait, daemon=True).start()'
                """,
            hint: "--limit processes=2048", remedy: ["--limit", "processes=2048", "--memory", "4G"]),
        FailedTask(
            name: "many processes", needs: ["python3"], guess: [],
            script: """
                python3 -c '
                import os, signal
                made = []
                try:
                    for number in range(600):
                        made.append(os.fork())
                        if made[-1] == 0: signal.pause()
                finally:
                    for process in made: os.kill(process, signal.SIGKILL)'
                """,
            hint: "it has at most 512 processes and threads: add --limit processes=2048",
            remedy: ["--limit", "processes=2048", "--memory", "16G"]),
        FailedTask(
            name: "a file that the shell has open", needs: ["cat"], guess: [], script: "cat /dev/fd/63",
            hint: "no option passes a file that your shell has open", remedy: nil),
        FailedTask(
            name: "the time since the start", needs: ["uptime"], guess: [], script: "uptime", hint: "--allow proc",
            remedy: nil),
        FailedTask(
            name: "a full scratch directory", needs: ["head"], guess: [],
            script: "head -c 300M /dev/zero > /tmp/big", hint: "--limit scratch=1G", remedy: ["--limit", "scratch=1G"]),
        FailedTask(
            name: "a large file", needs: ["dd"], guess: ["--write", "."],
            script: "dd if=/dev/zero of=big bs=1M seek=16384 count=1", hint: "--limit file=64G",
            remedy: ["--limit", "file=64G", "--write", "."]),
    ]
}
