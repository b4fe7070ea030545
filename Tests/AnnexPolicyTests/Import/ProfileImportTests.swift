import Testing

@testable import AnnexPolicy
@testable import AnnexPolicyTools

/// An imported profile gives the decisions that libseccomp would give.
@Suite struct ProfileImportTests {
    static let noProfile: Comment = "no container profile here (golang-github-docker-docker-dev has one)"

    static let worlds: [Set<String>] = [
        [], ["CAP_SYS_ADMIN"], ["CAP_SYS_PTRACE", "CAP_SYS_CHROOT", "CAP_NET_ADMIN", "CAP_SYS_NICE", "CAP_SYSLOG"],
        ["CAP_SYS_ADMIN", "CAP_BPF", "CAP_PERFMON", "CAP_DAC_READ_SEARCH", "CAP_SYS_MODULE", "CAP_SYS_TIME"],
    ]

    static func world(_ capabilities: Set<String>, _ kernel: String = "6.1") throws -> ProfileWorld {
        ProfileWorld(capabilities: capabilities, kernel: try #require(ProfileWorld.Kernel(kernel)))
    }

    static func imported(_ json: String, _ capabilities: Set<String> = []) throws -> ImportedProfile {
        try ImportedProfile(
            json: Array(json.utf8), file: "small.json", name: "small", world: try world(capabilities))
    }

    @Test(
        .enabled(if: Architecture.current == .x86, "the reference is written for x86-64"),
        .enabled(if: !FoundProfiles.paths.isEmpty, noProfile), arguments: FoundProfiles.paths, worlds)
    func `an imported profile decides every call and edge as libseccomp does`(path: String, capabilities: Set<String>)
        throws
    {
        let bytes = try FoundProfiles.bytes(path)
        let reference = try ReferenceProfile(json: bytes, capabilities: capabilities, kernel: (6, 1))
        let result = try ImportedProfile(
            json: bytes, file: "profile.json", name: "imported", world: try Self.world(capabilities))
        let policy = try PolicyLibrary(texts: ["imported": result.text]).policy(named: "imported")
        let filter = FilterEvaluator(program: try policy.filter().program)
        var compared = 0
        for number in 0..<1024 as Range<Int32> {
            for arguments in reference.arguments(of: number) {
                let wanted = try reference.answer(number, arguments)
                let call = FilterEvaluator.Call(
                    number: number, architecture: policy.architecture.audit, arguments: arguments)
                let answer = policy.answer(number: number, arguments: arguments)
                #expect(Self.asKernel(answer) == wanted, "\(number) \(arguments)")
                // If a call is denied and reported, the broker gives the errno by means of the notification.
                let direct = try filter.answer(to: call)
                #expect(direct == .notify ? answer.isReported : direct == wanted, "\(number) \(arguments)")
                compared += 1
            }
        }
        print("\(path) with \(capabilities.sorted()): \(compared) calls compared, \(policy.allowedCalls.count) allowed")
        #expect(compared > 3000)
    }

    private static func asKernel(_ answer: CallAnswer) -> FilterAnswer {
        switch answer {
        case .allow: .allow
        case .deny(let errno, _): .errno(errno)
        case .end, .aborting: .killProcess
        }
    }

    @Test func `a profile that does not allow the calls of the launch itself is refused`() throws {
        let error = #expect(throws: PolicyError.self) {
            try Self.imported(
                #"{"defaultAction": "SCMP_ACT_ERRNO", "syscalls": [{"names": ["getpid"], "action": "SCMP_ACT_ALLOW"}]}"#
            )
        }
        #expect(error.map { "\($0)" }?.contains("does not always allow `exit_group`") == true)
    }

    static let launch =
        #"{"names": ["read", "write", "exit_group", "rt_sigreturn", "restart_syscall"], "action": "SCMP_ACT_ALLOW"}"#

    static func profile(_ entries: String) -> String {
        #"{"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": 38, "syscalls": [\#(launch)\#(entries)]}"#
    }

    @Test func `two comparisons of one register become two rules`() throws {
        let text = try Self.imported(
            Self.profile(
                #"""
                , {"name": "dup", "action": "SCMP_ACT_ALLOW", "comment": "two: of them", "args": [
                {"index": 0, "value": 3, "op": "SCMP_CMP_LT"}, {"index": 0, "value": 9, "op": "SCMP_CMP_GT"}]}
                """#)
        ).text
        let policy = try PolicyLibrary(texts: ["small": text]).policy(named: "small")
        let dup = try #require(SystemCall(named: "dup")).number
        #expect(policy.answer(number: dup, arguments: [2]) == .allow)
        #expect(policy.answer(number: dup, arguments: [10]) == .allow)
        #expect(policy.answer(number: dup, arguments: [5]) == .deny(errno: 38, reported: true))
        #expect(text.contains("reason: 'two: of them'"))
    }

    @Test func `a kill becomes an end and each errno is kept`() throws {
        let text = try Self.imported(
            Self.profile(
                #"""
                , {"names": ["mount"], "action": "SCMP_ACT_KILL_PROCESS"},
                {"names": ["chroot", "chown32"], "action": "SCMP_ACT_ERRNO", "errnoRet": 13}
                """#)
        ).text
        let policy = try PolicyLibrary(texts: ["small": text]).policy(named: "small")
        let answers = try ["mount", "chroot", "ptrace"].map { name in
            policy.answer(number: try #require(SystemCall(named: name)).number, arguments: [])
        }
        #expect(answers == [.end, .deny(errno: 13, reported: false), .deny(errno: 38, reported: true)])
    }

    @Test func `a gap in a profile is kept and noted`() throws {
        let result = try Self.imported(
            Self.profile(
                #"""
                , {"names": ["socket"], "action": "SCMP_ACT_ALLOW", "args": [
                {"index": 0, "value": 40, "op": "SCMP_CMP_GT"}]}
                """#))
        #expect(result.text.contains("{ call: socket, when: { domain: { register: { above: AF_VSOCK } } } }"))
        #expect(result.notes.contains { $0.contains("a set bit in the upper half bypasses this") })
    }

    static let refused: [(String, String)] = [
        (
            #"{"defaultAction": "SCMP_ACT_ALLOW"}"#,
            "small.json:1:19: `$.defaultAction` answers unlisted calls with SCMP_ACT_ALLOW"
        ),
        (#"{"defaultAction": "SCMP_ACT_ERNO"}"#, "is not an action; did you mean `SCMP_ACT_ERRNO`?"),
        (
            #"{"defaultAction": "SCMP_ACT_ERRNO", "sycalls": []}"#,
            "`$.sycalls` is an unknown key; did you mean `syscalls`?"
        ),
        (profile(#", {"names": ["dup"], "action": "SCMP_ACT_TRAP"}"#), "`$.syscalls[1].action` raises SIGSYS"),
        (profile(#", {"names": ["dup"], "action": "SCMP_ACT_NOTIFY"}"#), "asks another program"),
        (
            profile(#", {"names": ["dup"], "action": "SCMP_ACT_ERRNO", "errnoRet": 0}"#),
            "`$.syscalls[1].errnoRet` is not an errno"
        ),
        (profile(#", {"names": ["dup"], "name": "dup", "action": "SCMP_ACT_ALLOW"}"#), "exclude each other"),
        (
            profile(
                #", {"names": ["dup"], "action": "SCMP_ACT_ALLOW", "args": [{"index": 6, "value": 1, "op": "SCMP_CMP_EQ"}]}"#
            ),
            "`$.syscalls[1].args[0].index` must be a whole number from 0 to 5"
        ),
        (
            profile(
                #", {"names": ["dup"], "action": "SCMP_ACT_ALLOW", "args": [{"index": 0, "value": 1e3, "op": "SCMP_CMP_EQ"}]}"#
            ),
            "`$.syscalls[1].args[0].value` must be a whole number"
        ),
        (
            profile(#", {"names": ["dup"], "action": "SCMP_ACT_ALLOW", "includes": {"minKernel": "new"}}"#),
            "is not a kernel version"
        ),
    ]

    @Test(arguments: refused)
    func `a profile that no policy can express is refused with its place`(json: String, message: String) throws {
        let error = #expect(throws: PolicyError.self) { try Self.imported(json) }
        #expect(error.map { "\($0)" }?.contains(message) == true, "\(error.map { "\($0)" } ?? "no error")")
    }
}

extension CallAnswer {
    fileprivate var isReported: Bool {
        switch self {
        case .deny(_, let reported): reported
        case .end, .aborting: true
        case .allow: false
        }
    }
}
