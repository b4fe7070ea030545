import Testing

@testable import AnnexPolicy
@testable import AnnexPolicyTools

@Suite struct LintTests {
    static func problems(_ text: String) throws -> String {
        try PolicySamples.policy(text, for: .x86).findings().map(\.description).joined(separator: "\n")
    }

    /// `tool` allows changes of file modes. Only its mounts protect the system's files from such changes, and its text says so.
    @Test(arguments: PolicyLibrary.shipped.names, Architecture.allCases)
    func `the lint has no findings in the shipped policies`(name: String, architecture: Architecture) throws {
        let found = PolicyLibrary.shipped.findings(about: name, for: architecture)
        let rest = found.filter { !(name == "tool" && $0.problem.contains("Landlock has no right for this")) }
        #expect(rest.isEmpty, "\(rest)")
    }

    @Test(arguments: [
        ("allow: [{ reason: a, calls: [ptrace] }]", "test.yaml:4:30: warning: allows `ptrace`"),
        ("allow: [{ reason: a, calls: [bpf] }]", "loads programs into the kernel"),
        ("allow: [{ reason: a, calls: [io_uring_setup] }]", "makes calls that no filter sees"),
        ("allow: [{ reason: a, calls: [userfaultfd] }]", "in the middle of a copy, which many exploits use"),
        ("allow: [{ reason: a, calls: [clone] }]\nlimits: { processes: 9 }", "can make namespaces"),
        ("allow: [{ reason: a, calls: [socket] }]", "opens every family of sockets"),
        ("allow: [{ reason: a, calls: [ioctl] }]", "reaches every driver of the kernel"),
        ("allow: [{ reason: a, calls: [prctl] }]", "list the values of `option`"),
        (
            "allow: [{ reason: a, calls: [{ call: clone, when: { flags: { without: CLONE_NEWNET } } }] }]\nlimits: { processes: 9 }",
            "lets `clone` pass with CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID"
        ),
        (
            "allow: [{ reason: a, calls: [{ call: socket, when: { domain: [AF_INET, AF_NETLINK] } }] }]",
            "lets `socket` pass with AF_NETLINK:"
        ),
        (
            "allow: [{ reason: a, calls: [{ call: ioctl, when: { request: { mask: 0xff, is: 0x12 } } }] }]",
            "lets `ioctl` pass with TIOCSTI:"
        ),
        ("allow: [{ reason: a, calls: [mmap] }]\nwrite-xor-execute: off", "memory that was written can become code"),
        (
            "allow: [{ reason: a, calls: [{ call: lseek, when: { whence: [0, 1] } }, { call: lseek, when: { whence: 1 } }] }]",
            "test.yaml:4:73: warning: this rule about `lseek` never decides"
        ),
        ("paths: { bundle: [], private: none, proc: none }\nallow: [{ reason: a, calls: [openat] }]", "grants no path"),
        ("allow: [{ reason: a, calls: [fork] }]", "`limits: processes` is 1"),
        ("network: loopback", "no rule allows `socket`"),
        ("paths: { hide: [{ reason: a, patterns: [/srv/key] }] }", "hides /srv/key, which no grant shows"),
        (
            "paths: { grants: [{ reason: a, rights: [read], paths: [/srv/a] }], protect: [{ reason: a, patterns: [/srv/a/b] }] }",
            "protects /srv/a/b, where the policy does not grant `write`"
        ),
        (
            "paths: { grants: [{ reason: a, rights: [read], paths: [/var/run/docker.sock] }] }",
            "a process that can use it is root on the machine"
        ),
        (
            "paths: { grants: [{ reason: a, rights: [read], paths: [/etc] }] }",
            "it contains the password hash of every user"
        ),
        (
            "paths: { grants: [{ reason: a, rights: [read, write], paths: [/var/lib/x] }] }",
            "the system keeps its own state there"
        ),
        (
            "allow: [{ reason: a, calls: [fchmod] }]\npaths: { grants: [{ reason: a, rights: [read], paths: [/usr/share] }] }",
            "allows fchmod: Landlock has no right for this"
        ),
        (
            "allow: [{ reason: a, calls: [{ call: socket, when: { domain: { register: { above: 40 } } } }] }]",
            "a bit is set in the argument's upper half"
        ),
    ])
    func `the lint warns of every dangerous or too wide rule`(text: String, message: String) throws {
        let problems = try Self.problems(text)
        #expect(problems.contains(message), "\(problems)")
    }

    @Test func `the lint accepts narrow rules`() throws {
        let text = """
            allow:
              - reason: a
                calls:
                  - { call: socket, when: { domain: [AF_UNIX, AF_INET] } }
                  - { call: ioctl, when: { request: [TCGETS, TIOCGWINSZ] } }
                  - { call: prctl, when: { option: PR_SET_NAME } }
                  - { call: madvise, when: { advice: MADV_DONTNEED } }
                  - { call: mmap, when: { flags: { without: MAP_HUGETLB } } }
            write-xor-execute: on
            """
        #expect(try Self.problems(text) == "")
    }

    @Test func `a policy that cannot be read is one error with its remedy`() {
        let library = PolicyLibrary(texts: ["a": "policy: a\nsummary: b\nincludes: [bse]", "base": PolicySamples.frame])
        let found = library.findings(about: "a")
        #expect(found.map(\.severity) == [.error])
        #expect(found.first.map { "\($0)" } == "a.yaml:3:12: error: unknown policy `bse`; did you mean `base`?")
    }

    @Test func `the lint reports every mistake on a page`() {
        let text = """
            policy: mine
            summary: Many mistakes.
            includes: [base]
            colour: red
            allow:
              - reason: First.
                calls: [getpd, getpid, { call: openat, when: { flgs: 1 } }, { call: openat, when: { flags: { only: [O_RDNLY, O_CLOEXC] } } }]
              - calls: [getuid]
              - reason: Bounded.
                bounded: lock
                calls: [flock]
            refuse:
              - { reason: b, answer: ENOENTT, calls: [stat] }
            paths:
              proc: some
              grants:
                - { reason: c, rights: [read], paths: [relative, /usr/share, /home] }
            limits: { memory: much, lunch: 1s, processes: 0 }
            """
        let found = PolicyLibrary.shipped.adding(["mine": (text, "mine.yaml")]).findings(about: "mine")
        let wanted = [
            "4:1: error: unknown key `colour`", "7:13: error: unknown system call `getpd`; did you mean `getpid`?",
            "7:52: error: unknown argument `flgs`", "7:105: error: unknown value `O_RDNLY`",
            "7:114: error: unknown value `O_CLOEXC`", "8:5: error: a group must state its `reason`",
            "10:14: error: unknown bounded `lock`", "13:26: error: unknown errno `ENOENTT`",
            "15:9: error: unknown proc `some`", "17:44: error: `relative`", "17:66: error: `/home`",
            "18:19: error: `much` is not a size", "18:25: error: unknown limit `lunch`",
            "18:47: error: `0` is not a whole number",
        ]
        #expect(found.count == wanted.count, "\(found)")
        for (one, other) in zip(found, wanted) { #expect(one.description.hasPrefix("mine.yaml:" + other), "\(one)") }
    }

    @Test func `the lint reports no mistake that only its own cutting made`() {
        let text =
            "policy: mine\nsummary: One.\nincludes: [base]\nallow:\n  - { reason: a, calls: [{ call: openat, when: { flags: { only: [NO] } } }] }\n"
        let found = PolicyLibrary.shipped.adding(["mine": (text, "mine.yaml")]).findings(about: "mine")
        #expect(found.map(\.description) == ["mine.yaml:5:66: error: unknown value `NO`"], "\(found)")
    }

    @Test(arguments: ["", "policy: [", "- a", "policy: other\nsummary: x\n", "x: {y: [z]}\n", "policy: mine\n"])
    func `a text that is no policy is reported as an error`(text: String) {
        let found = PolicyLibrary.shipped.adding(["mine": (text, "mine.yaml")]).findings(about: "mine")
        #expect(!found.isEmpty && found.allSatisfy { $0.severity == .error })
    }
}
