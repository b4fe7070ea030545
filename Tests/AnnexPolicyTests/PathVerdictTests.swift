import Glibc
import Testing

@testable import AnnexPolicy
@testable import AnnexPolicyTools

/// The verdicts of a policy about paths, and the layers that enforce them.
@Suite struct PathVerdictTests {
    static let text = """
        allow:
          - reason: Files.
            calls: [{ call: openat, when: { flags: { only: [O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_CLOEXEC] } } }]
        paths:
          private: { scratch: { size: 1M, inodes: 9, at: /tmp } }
          proc: minimal
          grants:
            - { reason: The system., rights: [read, execute], paths: [/usr] }
            - { reason: Work., rights: [read, write], paths: [/srv/work] }
            - { reason: Not its history., rights: [read], paths: [/srv/work/history] }
        devices: [null]
        """

    static func verdict(_ path: String, _ rights: PathRights, in text: String = text) throws -> PathVerdict {
        try PolicySamples.policy(text).verdict(path: path, rights: rights)
    }

    static let allowed: [(String, PathRights)] = [
        ("/usr", .read), ("/usr/bin/env", [.read, .execute]), ("/srv/work/a", [.read, .write]), ("/srv", []), ("/", []),
        ("/srv", .read), ("/", .read),
        ("/srv/work/history/1", .read), ("/tmp/x", [.read, .write]), ("/bundle/x", .read), ("/dev/null", .write),
        ("/frameworks/x", .read),
        ("/proc/self/status", .read), ("/usr/../usr/./bin//env", .read),
    ]

    @Test(arguments: allowed)
    func `a granted path is allowed`(path: String, rights: PathRights) throws {
        let verdict = try Self.verdict(path, rights)
        #expect(verdict.isAllowed && verdict.deniedBy == [] && verdict.errno == nil && verdict.remedy == nil)
    }

    static let refused: [(String, PathRights, [SandboxLayer], Int32)] = [
        ("/etc/passwd", .read, [.root, .landlock], 2), ("/usrlocal", .read, [.root, .landlock], 2),
        ("/srv", .execute, [.landlock], 13), ("/", .execute, [.landlock], 13),
        ("/srv/x", .write, [.root, .landlock], 2),
        ("/usr/bin/env", .write, [.mount, .landlock], 30), ("/srv/work/a", .execute, [.mount, .landlock], 13),
        ("/srv", .write, [.mount, .landlock], 30), ("/srv/work/history/1", .write, [.mount], 30),
        ("/tmp/x", .execute, [.mount, .landlock], 13), ("/dev/zero", .read, [.root, .landlock], 2),
        ("/proc/self/mem", .write, [.mount, .landlock], 30), ("/usr/../etc/passwd", .read, [.root, .landlock], 2),
        ("/bundle/x", .write, [.mount, .landlock], 30), ("/frameworks/x", .write, [.mount, .landlock], 30),
        ("/frameworks/x", .execute, [.mount, .landlock], 13),
    ]

    @Test(arguments: refused)
    func `the verdict on a path without a grant names its layers and its errno`(
        path: String, rights: PathRights, layers: [SandboxLayer], errno: Int32
    ) throws {
        let verdict = try Self.verdict(path, rights)
        #expect(!verdict.isAllowed)
        #expect(verdict.deniedBy == layers)
        #expect(verdict.errno == errno)
    }

    @Test func `directories above the visible paths may be listed only if each of these paths may be read`() throws {
        let grant = { PathGrant(path: "/srv/box", rights: $0, isOptional: false, reason: "", place: nil) }
        let policy = try PolicySamples.policy(Self.text)
        for path in ["/", "/srv"] {
            #expect(policy.granting([grant([.read, .write])]).verdict(path: path, rights: .read).isAllowed)
            let verdict = policy.granting([grant(.write)]).verdict(path: path, rights: .read)
            #expect(verdict.deniedBy == [.landlock] && verdict.errno == 13)
        }
    }

    @Test func `a verdict has the reason and the place of the line that decides`() throws {
        let verdict = try Self.verdict("/srv/work/history/1", .write)
        #expect(verdict.reason == "Not its history.")
        #expect(verdict.place?.description == "test.yaml:13:59")
    }

    static let remedies: [(String, PathRights, String?)] = [
        ("/etc/passwd", .read, "grants: [{ reason: …, rights: [read], paths: [/etc/passwd] }]"),
        ("/srv/work/history", .write, "grants: [{ reason: …, rights: [read, write], paths: [/srv/work/history] }]"),
        ("/srv/o'clock: x", .read, "grants: [{ reason: …, rights: [read], paths: ['/srv/o''clock: x'] }]"),
        ("/dev/zero", .read, "devices: [null, zero]"),
        ("/", .read, nil), ("/home", .read, nil), ("/etc/passwd", .write, nil), ("/proc/self/mem", .write, nil),
        ("/srv/a\u{1B}[2J", .read, nil), ("/dev/kvm", .read, nil), ("/bundle/x", .write, nil),
    ]

    @Test(arguments: remedies)
    func `DEPUTY-03: a remedy allows its path and is missing if none may`(
        path: String, rights: PathRights, expected: String?
    ) throws {
        let verdict = try Self.verdict(path, rights)
        #expect(verdict.remedy?.text == expected)
        guard case .grant = verdict.remedy, let remedy = verdict.remedy?.text else { return }
        // If a file that includes this policy adds the remedy, the path is allowed.
        let first = "policy: first\nsummary: For a test.\nincludes: [frame]\n" + Self.text
        let own = "policy: own\nsummary: For a test.\nincludes: [first]\npaths: { \(remedy) }\n"
        let library = PolicyLibrary(texts: ["frame": PolicySamples.frame, "first": first, "own": own])
        #expect(try library.policy(named: "own").verdict(path: path, rights: rights).isAllowed)
    }

    @Test func `a path that no allowed call can open is denied by seccomp`() throws {
        let verdict = try Policy.shipped(named: "compute").verdict(path: "/bundle/x", rights: .read)
        #expect(!verdict.isAllowed && verdict.deniedBy == [.seccomp] && verdict.errno == 2)
        #expect(verdict.place?.file == "base.yaml")
        let action = try Policy.shipped(named: "com.apple.ui-services")
        #expect(action.verdict(path: "/bundle/x", rights: .read).isAllowed)
        #expect(action.verdict(path: "/bundle/x", rights: .write).deniedBy == [.mount, .landlock])
    }

    @Test func `granting a path adds rights and takes none away`() throws {
        let policy = try PolicySamples.policy(Self.text).granting([
            PathGrant(path: "/usr/lib", rights: .read, isOptional: false, reason: "asked", place: nil),
            PathGrant(path: "/srv/in", rights: [.read, .write], isOptional: false, reason: "asked", place: nil),
        ])
        #expect(policy.verdict(path: "/usr/lib/x", rights: [.read, .execute]).isAllowed)
        #expect(policy.verdict(path: "/srv/in/x", rights: .write).isAllowed)
        #expect(policy.paths.grants.map(\.path) == ["/srv/in", "/srv/work", "/srv/work/history", "/usr", "/usr/lib"])
    }

    @Test(arguments: [[.read, .write], [.read, .write, .execute]] as [PathRights])
    func `a place that may only be executed is protected, whatever its directory allows`(outer: PathRights) throws {
        let policy = try PolicySamples.policy(Self.text).granting([
            PathGrant(path: "/srv/in", rights: outer, isOptional: false, reason: "asked", place: nil),
            PathGrant(path: "/srv/in/kept", rights: [.read, .execute], isOptional: false, reason: "asked", place: nil),
        ])
        #expect(policy.verdict(path: "/srv/in/x", rights: .write).isAllowed)
        #expect(policy.verdict(path: "/srv/in/kept/x", rights: [.read, .execute]).isAllowed)
        #expect(!policy.verdict(path: "/srv/in/kept/x", rights: .write).isAllowed)
    }

    @Test func `hidden and protected parts are refused, and nothing else is`() throws {
        let parts = """
              hide: [{ reason: Keys., patterns: ['*.pem', secrets/] }]
              protect: [{ reason: Hooks., patterns: [.git/hooks, /srv/work/b] }]
            """
        let text = Self.text.replacing("paths:\n  private", with: "paths:\n\(parts)\n  private")
        for path in ["/srv/work/a.pem", "/srv/work/x/a.pem", "/srv/work/secrets/x/y", "/usr/a.pem"] {
            let verdict = try Self.verdict(path, .read, in: text)
            #expect(
                !verdict.isAllowed && verdict.errno == EACCES && verdict.deniedBy == [.mount] && verdict.remedy == nil)
            #expect(verdict.reason == "Keys." && verdict.place != nil)
        }
        for path in ["/srv/work/.git/hooks/x", "/srv/work/b/c"] {
            #expect(try Self.verdict(path, .read, in: text).isAllowed)
            #expect(try Self.verdict(path, .write, in: text).errno == EROFS)
        }
        for path in ["/srv/work/a.pe", "/srv/work/x/.git/hooks", "/srv/work/bc"] {
            #expect(try Self.verdict(path, [.read, .write], in: text).isAllowed, "\(path)")
        }
    }

    @Test func `an include cannot be made to show what it hides, and the written text is read back`() throws {
        let base =
            "policy: base\nsummary: A base.\nincludes: [frame]\npaths: { hide: [{ reason: Keys., patterns: ['*.pem'] }] }\n"
        let texts = [
            "frame": PolicySamples.frame, "base": base,
            "test":
                "policy: test\nsummary: A test.\nincludes: [base]\npaths: { protect: [{ reason: b, patterns: [a/b] }] }\n",
        ]
        let policy = try PolicyLibrary(texts: texts).policy(named: "test")
        #expect(policy.paths.parts.map(\.pattern.text) == ["*.pem", "a/b"])
        let again = try PolicyLibrary(texts: ["test": policy.joinedText]).policy(named: "test")
        #expect(
            again.paths.parts.map { "\($0.kind) \($0.pattern.text) \($0.reason)" }
                == policy.paths.parts.map { "\($0.kind) \($0.pattern.text) \($0.reason)" })
    }

    @Test(arguments: [
        ("hide: [{ reason: a, patterns: [../x] }]", "`../x` is no pattern"),
        ("hide: [{ reason: a, patterns: [~/x] }]", "write the whole path"),
        ("hide: [{ patterns: [x] }]", "must state its"),
        ("protect: [{ reason: a, patterns: [x, x] }]", "`x` is stated twice"), ("hiden: []", "did you mean"),
        ("protect: x", "must be a list"),
    ])
    func `a mistake in a pattern is an error with its place`(paths: String, cause: String) {
        let error = PolicySamples.error("paths: { \(paths) }")
        #expect(error.map { "\($0)".contains(cause) && "\($0)".contains("test.yaml:4:") } == true, "\(error as Any)")
    }
}
