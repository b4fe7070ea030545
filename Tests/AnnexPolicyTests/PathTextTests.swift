import AnnexLinux
import Testing

@testable import AnnexPolicy

/// The parts of a policy about files, devices, network and W^X.
@Suite struct PathTextTests {
    @Test(
        arguments: [
            Array("/plain/ünï".utf8), [0x2F, 0xFF, 0xFE], [0x2F, 0xC3], [0x2F, 0xC3, 0x2F, 0xBC],
            [0x2F, 0xED, 0xA0, 0x80],
            [0x2F, 0xF0, 0x9F, 0x41, 0x80], [0x80], [],
        ] as [[UInt8]])
    func `the text of a path stands for its bytes and for no others`(bytes: [UInt8]) {
        let text = PathText.text(bytes)
        #expect(PathText.bytes(text) == bytes)
        #expect(PathText.isUTF8(text) == (String(validating: bytes, as: UTF8.self) != nil))
        #expect(PathText.text(bytes + [0, 0x41]) == text)
        #expect(PathText.shown(text).description == Escaped(bytes).description)
    }

    @Test func `a path that is not UTF-8 equals no path of a policy`() {
        let text = PathText.text([0x2F, 0x61, 0xFF])
        #expect(PathText.misspelling(text)?.contains("not UTF-8") == true)
        #expect(!PathText.isPath(text, within: "/a\u{FFFD}") && !PathText.isPath(text, within: "/a\u{FF}"))
        #expect(PathText.isPath(PathText.text([0x2F, 0x61, 0xFF, 0x2F, 0x62]), within: text))
    }

    @Test func `a path is plain if nothing changes when it is resolved, and only then`() {
        let parts = ["", ".", "..", "...", "a", ".a", "a.", "..a", "-"]
        for one in parts {
            for two in parts {
                for path in ["/\(one)", "/\(one)/\(two)", "/a/\(one)/\(two)", "/\(one)/\(two)/a", "\(one)/\(two)"] {
                    var kept: [String] = []
                    for part in path.split(separator: "/") where part != "." {
                        if part == ".." { _ = kept.popLast() } else { kept.append(String(part)) }
                    }
                    let resolved = "/" + kept.joined(separator: "/")
                    #expect(PathText.resolved(path) == resolved, "\(path)")
                    #expect(PathText.isPlain(path) == (resolved == path), "\(path)")
                }
            }
        }
    }

    private static func grant(_ path: String, _ rights: String = "read") -> String {
        "paths: { grants: [{ reason: a, rights: [\(rights)], paths: [\(path)] }] }"
    }

    /// The text from line 4 on, and the expected error with its place.
    static let mistakes: [(String, String)] = [
        (grant("etc/passwd"), "test.yaml:4:56: `etc/passwd` is not a valid path: a path must start with `/`"),
        (grant("~other/notes"), "test.yaml:4:56: `~other/notes` is not a valid path: only the caller's own home"),
        (grant("$home"), "test.yaml:4:56: `$home` is not a valid path: `$home` names no variable"),
        (grant("/usr/../etc"), "test.yaml:4:56: `/usr/../etc` is not a valid path: `.` and `..` are not allowed"),
        (grant("/usr/./lib"), "test.yaml:4:56: `/usr/./lib` is not a valid path: `.` and `..` are not allowed"),
        (grant("/usr/"), "test.yaml:4:56: `/usr/` is not a valid path: the path has a double or trailing slash"),
        (
            grant("/usr//lib"),
            "test.yaml:4:56: `/usr//lib` is not a valid path: the path has a double or trailing slash"
        ),
        (grant("'/usr/*'"), "test.yaml:4:56: `/usr/*` is not a valid path: patterns are not supported"),
        (grant("'/usr/[ab]'"), "test.yaml:4:56: `/usr/[ab]` is not a valid path: patterns are not supported"),
        (grant("\"/usr\\n\""), "test.yaml:4:56: `/usr\n` is not a valid path: a path must not contain control"),
        (grant("/"), "test.yaml:4:56: `/` is not granted: `/` contains every file"),
        (grant("/home"), "test.yaml:4:56: `/home` is not granted: a home contains all files of its owner"),
        (grant("/home/anna", "write"), "test.yaml:4:57: `/home/anna` is not granted: a home contains all"),
        (grant("/root"), "test.yaml:4:56: `/root` is not granted: a home contains all"),
        (
            grant("/etc/ssl", "write"),
            "test.yaml:4:57: `/etc/ssl` is not granted: no policy may grant `write` on the system's own files"
        ),
        (
            grant("/usr/local/bin", "write"),
            "test.yaml:4:57: `/usr/local/bin` is not granted: no policy may grant `write` on the system's own"
        ),
        (grant("/tmp", "write"), "test.yaml:4:57: `/tmp` is not granted: many programs share this directory"),
        (grant("/proc/self"), "test.yaml:4:56: `/proc/self` is not granted: `paths: proc` decides"),
        (grant("/dev/kvm"), "test.yaml:4:56: `/dev/kvm` is not granted: `devices` decides"),
        (
            grant("/sys/kernel/debug"),
            "test.yaml:4:56: `/sys/kernel/debug` is not granted: the path belongs to the kernel"
        ),
        (grant("/bundle/x"), "test.yaml:4:56: `/bundle/x` is not granted: `paths: bundle` decides the rights"),
        (
            grant("/frameworks"),
            "test.yaml:4:56: `/frameworks` is not granted: `Frameworks` of the extension's app is there"
        ),
        (grant("/srv/a, /srv/a"), "test.yaml:4:64: `/srv/a` is already granted in line 4"),
        (grant("/srv/a", "red"), "test.yaml:4:41: unknown right `red`; did you mean `read`?"),
        (grant("/srv/a", "read, read"), "test.yaml:4:47: `read` is stated twice"),
        (grant("/srv/a", ""), "test.yaml:4:40: the group grants no right"),
        ("paths: { grants: [{ paths: [/srv] }] }", "test.yaml:4:19: a group must state its `reason`, its `rights`"),
        (
            "paths: { grants: [{ reason: a, rights: [read], paths: [/srv], mising: skip }] }",
            "test.yaml:4:63: unknown key `mising` in a group of `grants`; did you mean `missing`?"
        ),
        (
            "paths: { grants: [{ reason: a, rights: [read], paths: [/srv], missing: skp }] }",
            "test.yaml:4:72: unknown missing `skp`; did you mean `skip`?"
        ),
        ("paths: { grant: [] }", "test.yaml:4:10: unknown key `grant` in `paths`; did you mean `grants`?"),
        ("paths: { proc: minimum }", "test.yaml:4:16: unknown proc `minimum`; did you mean `minimal`?"),
        ("paths: { private: { scrath: {} } }", "test.yaml:4:21: unknown key `scrath` in `private`"),
        ("paths: { private: {} }", "test.yaml:4:19: `private` must name its kind: `scratch`, `persistent` or both"),
        (
            "paths: { private: { persistent: { size: 1M } } }",
            "test.yaml:4:33: `persistent` must state its `size` and its number of `inodes`"
        ),
        (
            "paths: { private: { scratch: { size: 1M, inodes: 9 }, persistent: { size: 1M, inodes: 9 } } }",
            "test.yaml:4:19: one directory would lie in the other, at `/private` and `/private`"
        ),
        (
            "paths: { private: { scratch: { size: 1M, inodes: 9, at: /private/in }, persistent: { size: 1M, inodes: 9 } } }",
            "test.yaml:4:19: one directory would lie in the other, at `/private` and `/private/in`"
        ),
        (
            "paths: { private: { scratch: { size: 1M, inodes: 9, at: tmp } } }",
            "test.yaml:4:57: `tmp` is not a valid path"
        ),
        (
            "paths: { private: { scratch: { size: 1M, inodes: 9, at: /usr/lib } } }",
            "test.yaml:4:57: `/usr/lib` cannot be private: it would hide the system's own files"
        ),
        (
            "paths: { private: { scratch: { size: 1M, inodes: 9, at: /srv } }, grants: [{ reason: a, rights: [read], "
                + "paths: [/srv] }] }",
            "test.yaml:4:113: `/srv`: the private directory has the same path"
        ),
        (
            "paths: { grants: [{ reason: a, rights: [read], paths: [/srv] }, { reason: a, rights: [write], "
                + "paths: [/srv/in] }] }",
            "test.yaml:4:103: `/srv/in`: no layer can forbid reading here, because `/srv` is granted with `read`"
        ),
        (
            "write-xor-execute: on\n" + grant("/srv/a", "write, execute"),
            "test.yaml:5:66: `/srv/a`: a file written here could be executed"
        ),
        ("devices: [nul]", "test.yaml:4:11: unknown device `nul`; did you mean `null`?"),
        ("devices: [null, null]", "test.yaml:4:17: `null` is stated twice"),
        ("devices: null", "test.yaml:4:10: `devices` must be a list"),
        ("network: loopbck", "test.yaml:4:10: unknown network `loopbck`; did you mean `loopback`?"),
        ("write-xor-execute: yes", "test.yaml:4:20: unknown value `yes`"),
        ("write-xor-exec: on", "test.yaml:4:1: unknown key `write-xor-exec` in a policy"),
    ]

    @Test(arguments: mistakes)
    func `DEPUTY-03: every doubtful path is refused with its place`(text: String, expected: String) throws {
        let found = try #require(PolicySamples.error(text))
        #expect("\(found)".hasPrefix(expected), "\(found)")
    }

    @Test func `a policy may keep one directory and have another in memory`() throws {
        let policy = try PolicySamples.policy(
            """
            paths:
              private:
                persistent: { size: 1M, inodes: 9 }
                scratch: { size: 2M, inodes: 8, at: /tmp }
            """)
        #expect(policy.paths.persistent == .init(path: "/private", size: 1 << 20, inodes: 9))
        #expect(policy.paths.scratch == .init(path: "/tmp", size: 2 << 20, inodes: 8))
        #expect(policy.paths.home == "/private" && policy.paths.temporary == "/tmp")
        for path in ["/private/a", "/tmp/a"] {
            #expect(!policy.verdict(path: path, rights: .read).deniedBy.contains(.root), "\(path)")
        }
    }

    @Test func `the sections about paths, devices and network are read as written`() throws {
        let policy = try PolicySamples.policy(
            """
            paths:
              private: { persistent: { size: 64M, inodes: 256, at: /tmp } }
              proc: minimal
              grants:
                - { reason: Programs., rights: [read, execute], paths: [/usr/lib, /usr/bin] }
                - { reason: Where there are any., rights: [read, write], paths: [/srv/in], missing: skip }
            devices: [null, urandom]
            network: loopback
            write-xor-execute: on
            """)
        #expect(policy.paths.persistent == .init(path: "/tmp", size: 64 << 20, inodes: 256))
        #expect(policy.paths.home == "/tmp" && policy.paths.temporary == "/tmp")
        #expect(policy.paths.processFiles == .minimal)
        #expect(policy.paths.grants.map(\.path) == ["/srv/in", "/usr/bin", "/usr/lib"])
        #expect(policy.paths.grants.map(\.rights) == [[.read, .write], [.read, .execute], [.read, .execute]])
        #expect(policy.paths.grants.map(\.isOptional) == [true, false, false])
        #expect(policy.paths.grants[1].place?.description == "test.yaml:8:71")
        #expect(policy.devices == [.null, .urandom])
        #expect(policy.network == .loopback)
        #expect(policy.writeXorExecute)
    }

    @Test func `a later file adds paths and decides about those that it names`() throws {
        let first = """
            policy: first
            summary: For a test.
            includes: [frame]
            paths: { grants: [{ reason: a, rights: [read, write], paths: [/srv/a, /srv/b] }] }
            devices: [null]
            """
        let texts = [
            "frame": PolicySamples.frame, "first": first,
            "test": """
            policy: test
            summary: For a test.
            includes: [first]
            paths: { grants: [{ reason: b, rights: [read], paths: [/srv/b, /srv/c] }] }
            devices: [zero]
            """,
        ]
        let policy = try PolicyLibrary(texts: texts).policy(named: "test")
        #expect(policy.paths.grants.map(\.path) == ["/srv/a", "/srv/b", "/srv/c"])
        #expect(policy.paths.grants.map(\.rights) == [[.read, .write], .read, .read])
        #expect(policy.devices == [.zero])
    }

    @Test(arguments: ["devices: []\n", "write-xor-execute: off\n", "network: none\n", ", proc: none"])
    func `a policy that leaves out a section is refused`(section: String) throws {
        let text = PolicySamples.frame.replacing(section, with: "")
        #expect(text != PolicySamples.frame)
        let error = #expect(throws: PolicyError.self) {
            try PolicyLibrary(texts: ["frame": text]).policy(named: "frame")
        }
        let name = section.split { $0 == ":" || $0 == "," || $0 == " " }[0]
        #expect("\(try #require(error))".contains("nor its includes state `"))
        #expect("\(try #require(error))".contains("\(name)`"))
    }
}
