import Testing

@testable import AnnexPolicy

@Suite struct PolicyTextTests {
    /// The text from line 4 on, and the expected error with its place.
    static let mistakes: [(String, String)] = [
        ("limit: {}", "test.yaml:4:1: unknown key `limit` in a policy; did you mean `limits`?"),
        ("limits: { memry: 1M }", "test.yaml:4:11: unknown limit `memry`; did you mean `memory`?"),
        (
            "limits: { memory: 1P }",
            "test.yaml:4:19: `1P` is not a size: write a whole number above 0, with K, M, G or T if wanted"
        ),
        ("limits: { memory: 99999999999G }", "test.yaml:4:19: `99999999999G` is not a size"),
        ("limits: { memory: 0 }", "test.yaml:4:19: `0` is not a size"),
        ("limits: { launch: 5 }", "test.yaml:4:19: `5` is not a time"),
        ("limits: { launch: -5s }", "test.yaml:4:19: `-5s` is not a time"),
        ("limits: { launch: 99999999999s }", "test.yaml:4:19: `99999999999s` is not a time"),
        ("limits: { processes: 4194304 }", "test.yaml:4:22: `4194304` is not a whole number from 1 to 4194303"),
        ("limits: { messages: 1000000001 }", "test.yaml:4:21: `1000000001` is not a whole number from 1 to 1000000000"),
        ("limits: { processes: many }", "test.yaml:4:22: `many` is not a whole number"),
        ("limits: [1]", "test.yaml:4:9: `limits` must be a mapping"),
        ("network: all", "test.yaml:4:10: unknown network `all`"),
        ("network: non", "test.yaml:4:10: unknown network `non`; did you mean `none`?"),
        ("paths: { bundle: [write] }", "test.yaml:4:19: unknown right `write`"),
        ("paths: { private: { scratch: { size: 1M } } }", "test.yaml:4:30: `scratch` must state its `size`"),
        ("environment: { set: { LD_PRELOAD: x } }", "test.yaml:4:23: `LD_PRELOAD` makes the dynamic loader"),
        ("environment: { pass: [A=B] }", "test.yaml:4:23: a variable's name must not contain `=`"),
        ("unlisted: { known: EPRM, unknown: ENOSYS }", "test.yaml:4:20: unknown errno `EPRM`; did you mean `EPERM`?"),
        ("unlisted: { known: EPERM }", "test.yaml:4:11: `unlisted` must state the errno"),
        ("allow:\n  - calls: [getpid]", "test.yaml:5:5: a group must state its `reason` and its `calls`"),
        (
            "allow:\n  - reason: a\n    calls: [getpd]",
            "test.yaml:6:13: unknown system call `getpd`; did you mean `getpid`?"
        ),
        (
            "allow: [{ reason: a, calls: [{ call: fcntl, when: { comand: 1 } }] }]",
            "test.yaml:4:53: unknown argument `comand` of `fcntl`; did you mean `command`?"
        ),
        (
            "allow: [{ reason: a, calls: [{ call: fcntl, when: { command: F_GTFD } }] }]",
            "test.yaml:4:62: unknown value `F_GTFD`; did you mean `F_GETFD`?"
        ),
        (
            "allow: [{ reason: a, calls: [{ call: fcntl, when: { command: 0x100000000 } }] }]",
            "test.yaml:4:62: `0x100000000` does not fit into 32 bits"
        ),
        (
            "allow: [{ reason: a, calls: [{ call: fcntl, when: { command: [] } }] }]",
            "test.yaml:4:62: an empty list allows no value"
        ),
        (
            "allow: [{ reason: a, calls: [{ call: fcntl, when: { command: { not: F_SETLK } } }] }]",
            "test.yaml:4:62: `not` cannot be trusted here"
        ),
        (
            "allow: [{ reason: a, calls: [{ call: fcntl, when: { command: { has: F_SETLK } } }] }]",
            "test.yaml:4:62: this argument holds one value, not flags"
        ),
        (
            "allow: [{ reason: a, calls: [{ call: openat, when: { flags: { without: O_RDWR } } }] }]",
            "test.yaml:4:72: `without` names a value, not a flag"
        ),
        (
            "allow: [{ reason: a, calls: [{ call: openat, when: { flags: { only: [O_CLOEXEC] } } }] }]",
            "test.yaml:4:69: `only` names no value: add at least one of O_RDONLY, O_WRONLY, O_RDWR"
        ),
        (
            "allow: [{ reason: a, calls: [{ call: openat, when: { flags: { has: O_CREAT, without: O_CREAT } } }] }]",
            "test.yaml:4:86: `without` contradicts `has`"
        ),
        (
            "allow: [{ reason: a, calls: [{ call: openat, when: { flags: { has: O_CREAT, is: 1 } } }] }]",
            "test.yaml:4:61: these words cannot be combined: use `only`, `has` and `without`, or `mask` and `is`"
        ),
        (
            "allow: [{ reason: a, calls: [{ call: read, when: { fd: 1 } }] }]",
            "test.yaml:4:38: every launch needs `read`, so it is always allowed"
        ),
        ("end: [{ reason: a, calls: [write] }]", "test.yaml:4:28: every launch needs `write`, so it is always allowed"),
        (
            "allow: [{ reason: a, calls: [{ call: execveat, when: { flags: 0 } }] }]",
            "test.yaml:4:38: `execveat` passes once per launch"
        ),
        ("allow: [{ reason: a, calls: [getpid, getpid] }]", "test.yaml:4:38: `getpid` is already decided in line 4"),
        ("refuse: [{ reason: a, calls: [getpid] }]", "test.yaml:4:10: a group of `refuse` must state its errno"),
        (
            "refuse: [{ reason: a, answer: EPERM, report: yes, calls: [getpid] }]",
            "test.yaml:4:46: unknown value `yes`"
        ),
        ("allow: [{ reason: a, report: on, calls: [getpid] }]", "test.yaml:4:22: unknown key `report`"),
        ("end: [{ reason: a, means: exit, calls: [tgkill] }]", "test.yaml:4:27: the only value of `means` is `abort`"),
        ("summary: again", "test.yaml:5:1: the key `network` is stated twice"),
        ("allow: [", "test.yaml:"),
        ("allow: &all []", "test.yaml:4:8: anchors and aliases"),
        ("allow: *all", "test.yaml:4:8: anchors and aliases"),
    ]

    @Test(arguments: mistakes)
    func `DEPUTY-03: every mistake is named with its place`(text: String, expected: String) throws {
        let found = try #require(
            PolicySamples.error(text.replacing("summary: again", with: "network: none\nnetwork: none")))
        #expect("\(found)".hasPrefix(expected), "\(found)")
    }

    @Test func `a policy without limits is refused`() {
        let text =
            "policy: alone\nsummary: Nothing else.\nunlisted: { known: EPERM, unknown: ENOSYS }\n"
            + "paths: { bundle: [read], private: none }\nnetwork: none\nenvironment: {}\n"
        #expect(throws: PolicyError.self) { try PolicyLibrary(texts: ["alone": text]).policy(named: "alone") }
    }

    @Test func `the sections of a policy are read as written`() throws {
        let policy = try PolicySamples.policy(
            "paths: { private: { scratch: { size: 64M, inodes: 256 } } }\nlimits: { memory: 1G, grace: 250ms }")
        #expect(policy.limits.memory == 1 << 30)
        #expect(policy.limits.grace == .milliseconds(250))
        #expect(policy.limits.processor == .seconds(60))
        #expect(policy.limits.inFlight == 1 << 20)
        #expect(policy.paths.bundle == [.read, .execute])
        #expect(policy.paths.scratch == .init(path: "/private", size: 64 << 20, inodes: 256))
        #expect(policy.network == .none)
        #expect(policy.environment.passed == ["LANG"])
        #expect(policy.environment.fixed == ["SWIFT_ROOT": "/"])
    }

    @Test func `huge and deeply nested texts end in errors`() {
        #expect(PolicySamples.error("# " + String(repeating: "x", count: 300_000)) != nil)
        #expect(PolicySamples.error("allow: " + String(repeating: "[", count: 100_000)) != nil)
        #expect(PolicySamples.error("allow:\n" + String(repeating: "- ", count: 100_000)) != nil)
        #expect(PolicySamples.error("allow: " + String(repeating: "{a: ", count: 50_000)) != nil)
    }

    @Test func `the nearest name is suggested`() {
        let known = ["openat", "open", "openat2", "close"]
        #expect(NearestName.of("opneat", among: known) == "openat")
        #expect(NearestName.of("colse", among: known) == "close")
        #expect(NearestName.of("mount", among: known) == nil)
        #expect(NearestName.of("", among: known) == nil)
    }
}
