/// A program that prints what it sees, one `key=value` a line. `ViewTests` compares its outputs inside and outside a
/// sandbox. A key is the name of a row on the page `Docs/Guide/Differences.md` if its value differs.
enum ViewProgram {
    /// The program gets the path of a directory that it may write to, and of a second one on the same disk.
    static let text = #"""
        import ctypes, errno, os, pwd, resource, signal, socket, stat, sys, time
        place, other = sys.argv[1:3]
        libc = ctypes.CDLL(None, use_errno=True)

        def tried(action):
            try: return action()
            except OSError as error: return errno.errorcode.get(error.errno, error.errno)

        def say(key, value):
            print(f"{key}={str(value).encode('ascii', 'backslashreplace').decode()!s}".replace("\n", " "))

        def text(path):
            return tried(lambda: open(path).read().strip())

        def answer(result):
            return "ok" if result >= 0 else errno.errorcode.get(ctypes.get_errno(), "error")

        def xattr():
            os.setxattr(f"{place}/file", "user.view", b"x")
            os.removexattr(f"{place}/file", "user.view")
            return "ok"

        def renamed():
            open(f"{place}/moved", "w").close()
            try: os.rename(f"{place}/moved", f"{other}/moved")
            finally: [os.unlink(f"{d}/moved") for d in (place, other) if os.path.exists(f"{d}/moved")]
            return "ok"

        def unix():
            socket.socket(socket.AF_UNIX).close()
            return "ok"

        def kept(name):
            return os.environ.get(name, "none")

        say("uid", os.getuid()); say("gid", os.getgid()); say("groups", sorted(os.getgroups()))
        say("user-name", tried(lambda: pwd.getpwuid(os.getuid()).pw_name) if any(p.pw_uid == os.getuid() for p in pwd.getpwall()) else "none")
        say("home", kept("HOME")); say("tmpdir", kept("TMPDIR"))
        say("pid", os.getpid()); say("session", os.getsid(0) == os.getpid())
        status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
        for field, key in [("NoNewPrivs", "no-new-privileges"), ("Seccomp", "seccomp"), ("CapEff", "capabilities"),
            ("CapPrm", "capabilities"), ("CapBnd", "capabilities-bound"), ("SigBlk", "signals-blocked"), ("Umask", "umask"),
            ("Cpus_allowed", "affinity"), ("Speculation_Store_Bypass", "speculation"),
            ("CoreDumping", "core-dumping"), ("THP_enabled", "huge-pages"), ("TracerPid", "tracer")]:
            say(key, status.get(field, "none"))
        # The C library uses the signals 32 and 33 for itself, and posix_spawn may leave them ignored.
        say("signals-ignored", hex(int(status["SigIgn"], 16) & ~(3 << 31)))
        for name in ["CPU", "FSIZE", "DATA", "STACK", "CORE", "RSS", "NPROC", "NOFILE", "MEMLOCK", "AS", "SIGPENDING",
            "MSGQUEUE", "NICE", "RTPRIO", "RTTIME"]:
            say(f"limit-{name.lower()}", resource.getrlimit(getattr(resource, f"RLIMIT_{name}")))
        say("niceness", os.getpriority(os.PRIO_PROCESS, 0)); say("scheduling", os.sched_getscheduler(0))
        say("oom-score", text("/proc/self/oom_score_adj")); say("core-filter", text("/proc/self/coredump_filter"))
        say("working-directory", os.getcwd()); say("working-directory-name", os.popen("pwd").read().strip()); say("language", [kept(n) for n in ("LANG", "LC_ALL", "LC_TIME")])
        say("time-zone", time.tzname); say("terminal-type", kept("TERM")); say("terminals", [os.isatty(n) for n in range(3)])
        say("environment-dropped", kept("VIEW_DROPPED")); say("environment-build", [kept(n) for n in ("CC", "CI", "MAKEFLAGS")])
        say("environment-given", kept("VIEW_PLACE"))
        found = os.stat(f"{place}/file")
        say("file-mode", oct(found.st_mode)); say("file-size", found.st_size); say("file-time", found.st_mtime_ns)
        say("file-number", found.st_ino); say("file-device", found.st_dev); say("file-links", found.st_nlink)
        say("file-owner", (found.st_uid, found.st_gid))
        say("private-file", tried(lambda: open(f"{os.path.dirname(place)}/shown/private").read()))
        open(f"{place}/made", "w").close()
        say("mount-options", os.statvfs(place).f_flag & (os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC))
        for number, name in enumerate(["input", "output", "errors"]):
            say(f"stream-{name}", stat.S_IFMT(os.fstat(number).st_mode))
        say("descriptors", sorted(n for n in map(int, os.listdir("/proc/self/fd")) if n > 2 and tried(lambda: stat.S_ISREG(os.fstat(n).st_mode)) is True))
        say("host-name", socket.gethostname()); say("machine-id", text("/etc/machine-id"))
        say("clock", round(time.clock_gettime(time.CLOCK_BOOTTIME), -2)); say("wall-clock", round(time.time(), -3))
        say("processes", len([n for n in os.listdir("/proc") if n.isdigit()]) < 4)
        say("control-group", text("/proc/self/cgroup")); say("interfaces", tried(lambda: len(socket.if_nameindex())))
        say("proc-files", os.path.exists("/proc/meminfo")); say("sys", os.path.exists("/sys/devices"))
        say("devices", os.path.exists("/dev/ptmx")); say("tmp", len(os.listdir("/tmp")) < 8 and os.stat("/tmp").st_dev == found.st_dev)
        say("root", tried(lambda: os.path.exists("/var/log")))
        say("xattr", tried(xattr)); say("rename-between", tried(renamed)); say("unix-sockets", tried(unix))
        say("inotify", answer(libc.inotify_init1(0))); say("memfd", answer(libc.memfd_create(b"view", 0)))
        handle = os.open(f"{place}/file", os.O_RDWR)
        say("fallocate", answer(libc.fallocate(handle, 0, ctypes.c_long(0), ctypes.c_long(4096))))
        os.ftruncate(handle, found.st_size); os.utime(f"{place}/file", ns=(found.st_atime_ns, found.st_mtime_ns))
        say("shared-memory", answer(libc.shmget(0, 4096, 0o1600)))
        say("personality", libc.personality(0xffffffff) & 0xffff)
        say("time-slack", libc.prctl(30, 0, 0, 0, 0))
        """#
}
