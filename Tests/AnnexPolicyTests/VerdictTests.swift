import Testing

@testable import AnnexPolicy

@Suite struct VerdictTests {
    /// All policies but `tool`. An ordinary program may make calls that no extension needs.
    static let ofExtensions = PolicyLibrary.shipped.names.filter { $0 != "tool" }

    static func verdict(_ policy: String, _ name: String, _ arguments: [UInt64] = []) throws -> Verdict {
        let call = try #require(SystemCall(named: name, architecture: .x86))
        return try Policy.shipped(named: policy, for: .x86).verdict(number: call.number, arguments: arguments)
    }

    @Test func `a stated denial is reported only if the policy says so`() throws {
        #expect(try Self.verdict("tool", "sendfile", []).answer == .deny(errno: 22, reported: true))
        #expect(try Self.verdict("tool", "splice", []).answer == .deny(errno: 22, reported: false))
    }

    @Test func `only the signal of abort counts as aborting`() throws {
        #expect(try Self.verdict("compute", "tgkill", [1, 1, 6]).answer == .aborting)
        #expect(try Self.verdict("compute", "tgkill", [1, 1, 0x5_0000_0006]).answer == .aborting)
        #expect(try Self.verdict("compute", "tgkill", [1, 1, 9]).answer == .deny(errno: 1, reported: true))
    }

    @Test(
        arguments: [
            "socket", "socketpair", "connect", "execve", "execveat", "ptrace", "fork", "vfork", "clone", "unshare",
            "setns", "mount", "umount2", "bpf", "keyctl", "io_uring_setup", "perf_event_open", "userfaultfd",
            "process_vm_readv", "kexec_load", "init_module", "reboot", "pivot_root", "chroot",
        ])
    func `a call that only an attack makes ends the process`(name: String) throws {
        // libcurl makes a pair of sockets and does without, so the policy of its agent refuses the call.
        for policy in Self.ofExtensions where policy != "transfer" || name != "socketpair" {
            #expect(try Self.verdict(policy, name).answer == .end)
        }
    }

    @Test(
        arguments: [
            "fchmod", "fchmodat", "utimensat", "fsetxattr", "flock", "truncate", "fallocate", "kill",
            "memfd_create_exec",
        ])
    func `a call that changes a file despite a read-only descriptor is denied`(name: String) throws {
        let (call, arguments): (String, [UInt64]) =
            name == "memfd_create_exec" ? ("memfd_create", [0, 0x13]) : (name, [])
        for policy in Self.ofExtensions {
            #expect(try Self.verdict(policy, call, arguments).answer == .deny(errno: 1, reported: true))
        }
    }

    @Test(arguments: [6, 7, 9, 38, 1024, 1025, 0x406] as [UInt64])
    func `locks and leases on a read-only picture are denied`(command: UInt64) throws {
        let answer = try Self.verdict("com.apple.photo-editing", "fcntl", [5, command, 0]).answer
        #expect(answer == (command == 0x406 ? .allow : .deny(errno: 1, reported: true)))
    }

    @Test func `no policy lets memory become executable`() throws {
        for policy in PolicyLibrary.shipped.names {
            #expect(try Self.verdict(policy, "mmap", [0, 4096, 7, 0x22]).answer == .deny(errno: 1, reported: true))
            #expect(try Self.verdict(policy, "mmap", [0, 4096, 3, 0x22]).answer == .allow)
            #expect(try Self.verdict(policy, "mprotect", [0, 4096, 5]).answer == .deny(errno: 1, reported: true))
            #expect(
                try Self.verdict(policy, "pkey_mprotect", [0, 4096, 1]).answer == .deny(errno: 1, reported: true))
        }
    }

    @Test func `priority futexes are denied`() throws {
        for operation in 0..<128 as Range<UInt64> {
            for flags in [0, 128, 256, 384] as [UInt64] {
                let answer = try Self.verdict("compute", "futex", [0, operation | flags]).answer
                #expect((answer == .allow) == [0, 1, 9, 10].contains(operation), "\(operation)")
            }
        }
    }

    @Test func `punching holes in memory or files is denied`() throws {
        #expect(try Self.verdict("compute", "madvise", [0, 4096, 9]).answer == .deny(errno: 1, reported: true))
        #expect(try Self.verdict("compute", "fallocate", [3, 3]).answer == .deny(errno: 1, reported: true))
    }

    @Test func `clone3 fails quietly and clone for a thread ends the process`() throws {
        #expect(try Self.verdict("compute", "clone3").answer == .deny(errno: 38, reported: false))
        #expect(try Self.verdict("compute", "clone", [0x3D0F00]).answer == .end)
    }

    @Test func `an unknown call number gets ENOSYS`() throws {
        let verdict = try Policy.shipped(named: "compute").verdict(number: 900, arguments: [1, 2, 3])
        #expect(verdict.answer == .deny(errno: 38, reported: true))
        #expect(verdict.remedy == nil)
    }

    @Test func `a verdict names the deciding line and the remedy`() throws {
        let lock = try Self.verdict("com.apple.photo-editing", "fcntl", [5, 6, 0])
        #expect(lock.remedy?.text == "- { call: fcntl, when: { command: F_SETLK } }")
        #expect(lock.place.file == "base.yaml")
        let socket = try Self.verdict("compute", "socket", [2, 1, 0])
        #expect(socket.remedy?.text == "- { call: socket, when: { domain: AF_INET } }")
        #expect(socket.reason == "The network, and every other way to reach a service.")
        let open = try Self.verdict("com.apple.ui-services", "openat", [0xFFFF_FF9C, 1, 0x241, 0o600])
        #expect(
            open.remedy?.text
                == "- { call: openat, when: { flags: { exactly: [O_WRONLY, O_CREAT, O_TRUNC] }, mode: 0x180 } }")
        #expect(try Self.verdict("compute", "flock").remedy?.text == "- flock")
        #expect(try Self.verdict("compute", "execveat").remedy == nil)
        #expect(try Self.verdict("compute", "getpid").remedy == nil)
    }

    @Test func `a thread has no remedy where a policy allows one process`() throws {
        // The flags of a thread that glibc starts, and of a process that it forks.
        let (thread, process): (UInt64, UInt64) = (0x3D_0F00, 0x120_0011)
        #expect(try Self.verdict("com.apple.ui-services", "clone", [thread]).remedy == nil)
        #expect(try Self.verdict("com.apple.ui-services", "clone", [process]).remedy != nil)
        #expect(try Self.verdict("tool", "clone", [thread]).answer == .allow)
        #expect(try Self.verdict("tool", "clone", [thread | 0x1000_0000]).remedy != nil)
    }

    @Test func `a remedy allows its call`() throws {
        for (name, arguments) in [
            ("fcntl", [5, 6, 0]), ("socket", [2, 1, 0]), ("flock", []), ("openat", [3, 1, 0x241]),
        ]
            as [(String, [UInt64])]
        {
            let remedy = try #require(try Self.verdict("com.apple.ui-services", name, arguments).remedy?.text)
            let text = "allow:\n  - reason: a\n    calls:\n      \(remedy)\n"
            let policy = try PolicySamples.policy(text, for: .x86)
            let call = try #require(SystemCall(named: name, architecture: .x86))
            #expect(policy.verdict(number: call.number, arguments: arguments).answer == .allow)
        }
    }
}
