import Testing

@testable import AnnexPolicy

@Suite struct SystemCallDescriptionTests {
    static let x86: [(String, [UInt64], String)] = [
        ("socket", [2, 1, 0], "socket(AF_INET, SOCK_STREAM, 0)"),
        ("socket", [1, 0x80801, 0], "socket(AF_UNIX, SOCK_STREAM|SOCK_NONBLOCK|SOCK_CLOEXEC, 0)"),
        ("clone", [0x111, 0, 0, 0, 0], "clone(SIGCHLD|CLONE_VM, NULL, NULL, NULL, NULL)"),
        ("execve", [0x7FFE10, 0x7FFE20, 0], "execve(0x7ffe10, 0x7ffe20, NULL)"),
        ("ptrace", [16, 77, 0, 0], "ptrace(PTRACE_ATTACH, 77, NULL, 0x0)"),
        ("openat", [0xFFFF_FF9C, 0x1000, 0x80000, 0], "openat(AT_FDCWD, 0x1000, O_RDONLY|O_CLOEXEC, 00)"),
        ("openat", [UInt64(bitPattern: -100), 0, 0x410002, 0o600], "openat(AT_FDCWD, NULL, O_RDWR|O_TMPFILE, 0600)"),
        ("prctl", [4, 1, 0, 0, 0], "prctl(PR_SET_DUMPABLE, 0x1, 0x0, 0x0, 0x0)"),
        (
            "mmap", [0, 4096, 7, 0x22, UInt64(bitPattern: -1), 0],
            "mmap(NULL, 4096, PROT_READ|PROT_WRITE|PROT_EXEC, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)"
        ),
        ("mmap", [0, 4096, 0, 1, 3, 0], "mmap(NULL, 4096, PROT_NONE, MAP_SHARED, 3, 0)"),
        ("mount", [1, 2, 3, 0x1001, 0], "mount(0x1, 0x2, 0x3, MS_RDONLY|MS_BIND, NULL)"),
        ("unshare", [0x1000_0000], "unshare(CLONE_NEWUSER)"),
        ("ioctl", [0, 0x5412, 9], "ioctl(0, TIOCSTI, 0x9)"),
        ("ioctl", [0, 0x1_0000_5412, 9], "ioctl(0, TIOCSTI, 0x9)"),
        ("kill", [UInt64(bitPattern: -1), 9], "kill(-1, SIGKILL)"),
        ("futex", [0x10, 128, 5, 0, 0, 0], "futex(0x10, FUTEX_WAIT|FUTEX_PRIVATE_FLAG, 5, NULL, NULL, 0)"),
        ("getpid", [1, 2, 3, 4, 5, 6], "getpid()"),
        ("sysfs", [1, 2], "sysfs(0x1, 0x2)"),
    ]

    @Test(arguments: x86)
    func `a call is described as people write it`(name: String, arguments: [UInt64], expected: String) throws {
        let call = try #require(SystemCall(named: name, architecture: .x86))
        #expect(SystemCall.describe(number: call.number, arguments: arguments, architecture: .x86) == expected)
    }

    @Test func `the description of flags follows the architecture`() throws {
        let call = try #require(SystemCall(named: "openat", architecture: .arm))
        #expect(call.describe(arguments: [3, 0, 0x4000, 0]) == "openat(3, NULL, O_RDONLY|O_DIRECTORY, 00)")
    }

    @Test func `a number without a name is described with its registers`() {
        #expect(SystemCall.describe(number: 900, arguments: [1, .max]) == "call 900(0x1, 0xffffffffffffffff)")
        #expect(SystemCall.describe(number: -1, arguments: []) == "call -1()")
    }

    @Test func `texts of the caller are escaped and cut`() throws {
        let call = try #require(SystemCall(named: "openat", architecture: .x86))
        #expect(call.pathArguments == [1])
        let hostile = Array("/etc/\u{1B}[2J\"\\\n".utf8) + [0xFF]
        let shown = call.describe(arguments: [0xFFFF_FF9C, 0x1000, 0, 0]) { $0 == 1 ? hostile : nil }
        #expect(shown == #"openat(AT_FDCWD, "/etc/\u{1b}[2J\"\\\n\x{ff}", O_RDONLY, 00)"#)
        let long = call.describe(arguments: [3, 1, 0, 0]) { _ in [UInt8](repeating: 0x41, count: 5000) }
        #expect(long.utf8.count < 400 && long.contains("\"…"))
    }

    @Test func `missing registers count as zero`() {
        #expect(SystemCall.describe(number: 41, arguments: [], architecture: .x86) == "socket(AF_UNSPEC, 0, 0)")
    }
}
