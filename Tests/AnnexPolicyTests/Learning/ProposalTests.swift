import AnnexTestSupport
import Testing

@testable import AnnexPolicy
@testable import AnnexPolicyTools

/// A proposal allows the recorded calls, but no dangerous call that was not recorded. It allows no more of the file
/// system than a user would grant without hesitation.
@Suite struct ProposalTests {
    static func policy(_ proposal: PolicyProposal) throws -> Policy {
        try PolicyLibrary.shipped.adding(["learned": (proposal.text, "learned.yaml")]).policy(named: "learned")
    }

    static func proposal(_ recording: Recording) throws -> PolicyProposal {
        try PolicyProposal(from: recording, program: "/usr/bin/thing", named: "learned")
    }

    static func number(_ name: String) throws -> Int32 { try #require(SystemCall(named: name)).number }

    private static let calls: [(String, [UInt64])] = [
        ("getpid", []), ("mmap", [0, 4096, 3, 0x22]), ("mmap", [0, 4096, 5, 2]), ("mmap", [0, 4096, 1, 1]),
        ("mprotect", [0, 4096, 1]), ("openat", [0xFFFF_FF9C, 1, 0x80000]), ("openat", [0xFFFF_FF9C, 1, 0x241, 0o644]),
        ("socket", [1, 0x80001, 0]), ("socket", [2, 1, 0]), ("fcntl", [3, 1]), ("fcntl", [3, 1030, 4]),
        ("ioctl", [1, 0x5401]),
        ("ioctl", [1, 0x12345678]), ("prctl", [15, 1]), ("futex", [1, 128, 1]), ("futex", [1, 0x189, 0]), ("statx", []),
        ("clone", [0x11]), ("clone", [0x3D0F00]), ("execve", []), ("wait4", []), ("getdents64", [3]),
        ("lseek", [3, 0, 1]),
        ("madvise", [0, 1, 4]), ("memfd_create", [0, 1]), ("renameat2", []), ("flock", [1, 2]), ("poll", []),
        ("clock_gettime", [1]), ("prlimit64", [0, 3, 0, 1]), ("kill", [5, 15]), ("unlinkat", [3, 1, 0x200]),
    ]

    private static let dangerous: [(String, [UInt64])] = [
        ("ptrace", [16, 1]), ("bpf", []), ("mount", []), ("umount2", []), ("unshare", [0x1000_0000]), ("setns", []),
        ("io_uring_setup", []), ("userfaultfd", []), ("perf_event_open", []), ("keyctl", []), ("kexec_load", []),
        ("init_module", []), ("open_by_handle_at", []), ("process_vm_writev", []), ("pidfd_getfd", []), ("chroot", []),
        ("pivot_root", []), ("clone", [0x1000_0000]), ("socket", [38, 5]), ("socket", [16, 3]), ("ioctl", [0, 0x5412]),
        ("prctl", [35]), ("setuid", []), ("personality", [0x40_0000]), ("reboot", []), ("mmap", [0, 4096, 7, 0x22]),
    ]

    private static let files: [(String, PathRights, Bool, Bool)] = [
        ("/usr/lib/x/libc.so.6", [.read, .execute], true, false), ("/usr/lib/x/libm.so.6", .read, true, false),
        ("/usr/lib/x/libz.so", .read, true, false), ("/usr/bin/thing", .execute, true, false),
        ("/etc/ld.so.cache", .read, true, false), ("/etc/passwd", .read, true, false),
        ("/etc/fonts/a", .read, true, false),
        ("/etc/fonts/b", .read, true, false), ("/etc/fonts/c", .read, true, false), ("/etc/shadow", .read, true, false),
        ("/home/me/work/a.txt", .read, true, false), ("/home/me/work/b.txt", .read, true, false),
        ("/home/me/work/c.txt", .read, true, false), ("/home/me/work/out.txt", .write, true, true),
        ("/home/me/new", .write, false, true), ("/home/me", [], true, false), ("/", [], true, false),
        ("/etc", .read, true, false),
        ("/tmp/xyz", [.read, .write], false, true), ("/tmp/in", .read, true, false),
        ("/proc/self/maps", .read, true, false),
        ("/proc/sys/kernel/x", .write, true, false), ("/sys/devices/system/cpu/online", .read, true, false),
        ("/dev/null", [.read, .write], true, false), ("/dev/tty", .write, true, false),
        ("/nowhere", .read, false, false),
        ("/run/user/1000/bus", .write, true, false), ("/usr/share/zoneinfo/Europe/Paris", .read, true, false),
        ("/home/me/.ssh/id", .read, true, false), ("/var/run/docker.sock", .write, true, false),
        ("/root", .read, true, false),
        ("/weird 'name'/#x: y", .read, true, false),
    ]

    private static let forbidden: [String] = [
        "/", "/home", "/home/me", "/root", "/etc", "/proc", "/sys", "/tmp", "/var", "/run", "/etc/shadow",
        "/var/run/docker.sock",
    ]

    private static func recording(_ random: inout SeededRandom) throws -> Recording {
        var recording = Recording()
        let share = Int.random(in: 1...4, using: &random)
        for (name, arguments) in calls where Int.random(in: 0...3, using: &random) < share {
            guard let call = SystemCall(named: name) else { continue }
            recording.add(call: call.number, arguments: arguments + [UInt64](repeating: 0, count: 6 - arguments.count))
        }
        for (path, rights, exists, makes) in files where Int.random(in: 0...3, using: &random) < share {
            recording.add(path: path, rights: rights, exists: exists, makesEntry: makes)
        }
        return recording
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `a proposal allows the recorded calls and nothing dangerous`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let recording = try Self.recording(&random)
        let proposal = try Self.proposal(recording)
        let policy = try Self.policy(proposal)
        _ = try policy.filter()
        let said = proposal.withheld.joined(separator: "\n")
        for call in recording.calls.keys {
            let known = try #require(SystemCall(number: call.number))
            let isAllowed = policy.answer(number: call.number, arguments: call.registers) == .allow
            #expect(
                isAllowed || said.contains(known.name), "\(known.describe(arguments: call.registers))\n\(proposal.text)"
            )
        }
        for (path, use) in recording.paths where use.exists || use.makesEntry {
            guard !path.hasPrefix("/tmp/") else { continue }
            let verdict = policy.verdict(path: path, rights: use.makesEntry ? .write : use.rights)
            #expect(
                verdict.isAllowed || said.contains(path) || verdict.deniedBy == [.seccomp], "\(path)\n\(proposal.text)"
            )
        }
        for (name, arguments) in Self.dangerous {
            guard let call = SystemCall(named: name) else { continue }
            #expect(policy.answer(number: call.number, arguments: arguments) != .allow, "\(name)\n\(proposal.text)")
        }
        let wide = policy.paths.grants.filter { Self.forbidden.contains($0.path) }
        #expect(wide.isEmpty, "\(wide)")
        // Warnings about the included policy do not count here.
        let findings = policy.findings().filter { $0.place?.file == "learned.yaml" }
        #expect(findings.isEmpty, "\(findings)\n\(proposal.text)")
    }

    @Test func `a proposal does not allow calls that were not recorded`() throws {
        var recording = Recording()
        recording.add(call: try Self.number("lseek"), arguments: [3, 0, 0, 0, 0, 0])
        let policy = try Self.policy(try Self.proposal(recording))
        let number = try Self.number("lseek")
        #expect(policy.answer(number: number, arguments: [3, 0, 0]) == .allow)
        #expect(policy.answer(number: number, arguments: [3, 0, 1]) != .allow)
        for name in ["openat", "execve", "fork", "socket", "unlink"] {
            guard let call = SystemCall(named: name) else { continue }
            #expect(policy.answer(number: call.number, arguments: []) != .allow, "\(name)")
        }
        #expect(policy.paths.grants.isEmpty)
    }

    @Test func `a proposal answers calls with hidden flags so that programs use older ones`() throws {
        var recording = Recording()
        recording.add(call: try Self.number("clone3"), arguments: [1, 88, 0, 0, 0, 0])
        let policy = try Self.policy(try Self.proposal(recording))
        #expect(policy.answer(number: try Self.number("clone3"), arguments: []) == .deny(errno: 38, reported: false))
        #expect(policy.answer(number: try Self.number("clone"), arguments: [0x3D0F00]) == .allow)
        #expect(policy.answer(number: try Self.number("clone"), arguments: [0x1000_0000]) != .allow)
    }

    private static let networks: [([Recording.AddressUse], PolicyNetwork)] = [
        ([], .none), ([.bound], .loopback), ([.bound, .loopback], .loopback), ([.loopback], .host), ([.beyond], .host),
        ([.bound, .loopback, .beyond], .host), ([.asked], .hosts), ([.asked, .connected(machine)], .hosts),
        ([.bound, .loopback, .connected(machine)], .hosts), ([.loopback, .connected(machine)], .host),
        ([.asked, .connected(machine), .beyond], .host),
    ]
    private static let machine = HostRule(.address([192, 0, 2, 7]), port: 443)

    @Test func `a proposal names the machines that the program reached, and leaves their resolver to the sandbox`()
        throws
    {
        var recording = Recording()
        recording.add(call: try Self.number("socket"), arguments: [2, 1, 6, 0, 0, 0])
        recording.add(address: .connected(Self.machine))
        recording.add(path: "/etc/resolv.conf", rights: .read, exists: true)
        let hosts = try ["code.example.org:443", "[2001:db8::1]:80"].map { try HostRule($0) }
        let proposal = try PolicyProposal(from: recording, reaching: hosts, program: "x", named: "learned")
        let policy = try Self.policy(proposal)
        #expect(policy.hosts.list == hosts && policy.hosts.check == .usual)
        #expect(policy.paths.grants.allSatisfy { $0.path != "/etc/resolv.conf" })
        #expect(!proposal.withheld.contains { $0.contains("resolv") }, "\(proposal.withheld)")
    }

    @Test(arguments: networks)
    func `a proposal states the smallest network with all that the program reached`(
        uses: [Recording.AddressUse], network: PolicyNetwork
    ) throws {
        var recording = Recording()
        recording.add(call: try Self.number("socket"), arguments: [2, 1, 6, 0, 0, 0])
        for use in uses { recording.add(address: use) }
        #expect(try Self.policy(Self.proposal(recording)).network == network)
    }

    @Test func `a proposal allows a recorded command of fcntl whose number is 0`() throws {
        var recording = Recording()
        let number = try Self.number("fcntl")
        for command in [0, 2] as [UInt64] { recording.add(call: number, arguments: [3, command, 10, 0, 0, 0]) }
        let proposal = try Self.proposal(recording)
        #expect(proposal.withheld.isEmpty, "\(proposal.withheld)")
        let policy = try Self.policy(proposal)
        #expect(policy.answer(number: number, arguments: [3, 0, 10, 0, 0, 0]) == .allow)
    }

    @Test func `a program that shares memory by name gets a directory of its own for it`() throws {
        var recording = Recording()
        recording.add(path: "/dev/shm/sem.x", rights: [.read, .write], exists: false, makesEntry: true)
        let policy = try Self.policy(Self.proposal(recording))
        #expect(policy.verdict(path: "/dev/shm/sem.x", rights: [.read, .write]).deniedBy.allSatisfy { $0 == .seccomp })
        #expect(policy.paths.scratch != nil && policy.paths.grants.allSatisfy { $0.path != "/dev/shm" })
    }

    @Test func `a proposal for code made at run time turns the switch off and says so`() throws {
        var recording = Recording()
        recording.add(call: try Self.number("mprotect"), arguments: [0, 4096, 5, 0, 0, 0])
        let proposal = try Self.proposal(recording)
        #expect(proposal.text.contains("made") || proposal.text.contains("write-xor-execute: off"))
        #expect(try Self.policy(proposal).writeXorExecute == false)
    }

    @Test func `file names that the program chose cannot change the text of a proposal`() throws {
        var recording = Recording()
        let names = ["/usr/x\nallow: []", "/srv/'\"#: {}", "/srv/\u{202E}x", "/srv/a\\b"]
        for name in names { recording.add(path: name, rights: .read, exists: true) }
        let proposal = try PolicyProposal(from: recording, program: "/x\n- y", named: "learned")
        let policy = try Self.policy(proposal)
        #expect(policy.paths.grants.map(\.path).contains("/srv/'\"#: {}"))
        #expect(!proposal.text.contains("\nallow: []"))
    }
}
