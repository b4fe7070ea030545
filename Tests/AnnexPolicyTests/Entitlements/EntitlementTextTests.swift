import Testing

@testable import AnnexPolicy

/// A fragment is parsed as strictly as a policy. Each mistake is an error that states its place.
@Suite struct EntitlementTextTests {
    static let head = "entitlement: org.example.net\nname: do a thing\nmeans: It can do a thing.\n"

    static func fragment(_ text: String) throws(PolicyError) -> PolicyFragment {
        try PolicyFragment(text: head + text, file: "entitlements/org.example.net.yaml")
    }

    @Test func `a fragment holds the statements of its text`() throws {
        let fragment = try Self.fragment(
            """
            allow: [{ reason: a, calls: [getppid, { call: kill, when: { signal: SIGTERM } }] }]
            refuse: [{ reason: b, answer: EPERM, calls: [uname] }]
            network: loopback
            devices: [null]
            environment: { pass: [LANG], set: { A: b } }
            paths: { grants: [{ reason: c, rights: [read], paths: [/etc/x], missing: skip }] }
            limits: { memory: 1G }
            """)
        #expect(fragment.identifier == "org.example.net")
        #expect(fragment.name == "do a thing" && fragment.means == "It can do a thing.")
        #expect(fragment.changesFilter && fragment.allowedCalls == ["getppid", "kill"])
        #expect(fragment.network?.value.kind == .loopback && fragment.devices?.value == [.null])
        #expect(fragment.grants.plain.map(\.path) == ["/etc/x"] && fragment.grants.plain[0].place?.line == 9)
        #expect(fragment.limits[.memory]?.value == .bytes(1 << 30))
        #expect(try Self.fragment("").changesFilter == false)
    }

    @Test(arguments: [
        ("policy: x", "4:1: unknown key `policy` in an entitlement"),
        ("includes: [tool]", "unknown key `includes`"), ("unlisted: { known: EPERM, unknown: ENOSYS }", "unknown key"),
        ("write-xor-execute: off", "unknown key `write-xor-execute`"),
        ("paths: { bundle: [read] }", "unknown key `bundle` in `paths` of an entitlement"),
        ("paths: { private: none }", "unknown key `private`"), ("paths: { proc: minimal }", "unknown key `proc`"),
        ("network: all", "unknown network `all`"), ("devices: [nul]", "unknown device `nul`; did you mean `null`?"),
        ("allow: [{ reason: a, calls: [getpd] }]", "4:30: unknown system call `getpd`; did you mean `getpid`?"),
        ("allow: [{ reason: a, bounded: connections, calls: [bind] }]", "`bounded: connections` is for `connect`"),
        ("allow: [{ reason: a, calls: [read, { call: read, when: { fd: 1 } }] }]", "every launch needs `read`"),
        ("environment: { set: { LD_PRELOAD: x } }", "makes the dynamic loader run other code"),
        ("paths: { grants: [{ reason: c, rights: [read], paths: [/] }] }", "contains every file"),
        ("paths: { grants: [{ reason: c, rights: [write], paths: [/etc/x] }] }", "no policy may grant `write`"),
        ("limits: { memory: none }", "is not a size"), ("a: &x b", "anchors and aliases"),
    ])
    func `a mistake in a fragment is named with its place`(text: String, message: String) {
        let error = #expect(throws: PolicyError.self) { try Self.fragment(text) }
        #expect(error.map { "\($0)" }?.contains(message) == true, "\(error.map { "\($0)" } ?? "")")
        #expect(error?.place?.file == "entitlements/org.example.net.yaml")
    }

    @Test(arguments: [
        ("name: a\nmeans: b", "must state `entitlement:`"), ("entitlement: org.example.net\nmeans: b", "must state"),
        ("entitlement: org.example.other\nname: a\nmeans: b", "name the file org.example.other.yaml"),
        ("entitlement: net\nname: a\nmeans: b", "is not the name of"),
        ("entitlement: a..net\nname: a\nmeans: b", "is not the name of"),
        ("entitlement: a+b.net\nname: a\nmeans: b", "is not the name of"),
        ("entitlement: org.example.net\nname: \"a\\e[2J\"\nmeans: b", "without control characters"),
        ("entitlement: org.example.net\nname: \"a\\nb\"\nmeans: b", "without control characters"),
    ])
    func `the words for the user are bounded and printable`(text: String, message: String) {
        let error = #expect(throws: PolicyError.self) {
            try PolicyFragment(text: text, file: "org.example.net.yaml")
        }
        #expect(error.map { "\($0)" }?.contains(message) == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func `long words for the user and long texts are refused`() {
        for (name, means) in [(81, 1), (1, 401)] {
            let text =
                "entitlement: org.example.net\nname: \(String(repeating: "a", count: name))\n"
                + "means: \(String(repeating: "a", count: means))\n"
            let error = #expect(throws: PolicyError.self) {
                try PolicyFragment(text: text, file: "org.example.net.yaml")
            }
            #expect(error?.problem.contains("is longer than") == true)
        }
        let padding = "#" + String(repeating: "x", count: 256 * 1024)
        #expect(throws: PolicyError.self) { try Self.fragment(padding) }
    }
}
