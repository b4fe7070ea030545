import Testing

@testable import AnnexPolicy
@testable import AnnexPolicyTools

@Suite struct ExplainTests {
    static func explained(_ policy: String, _ words: String...) throws -> Explanation {
        try Policy.shipped(named: policy, for: .x86).explanation(
            of: try PolicyQuestion(words: words, architecture: .x86))
    }

    @Test func `the explanation of a denied call names answer, layer, line, reason and remedy`() throws {
        let found = try Self.explained("compute", "socket", "domain=AF_INET")
        #expect(found.isAllowed == false)
        #expect(found.text.contains("socket(AF_INET, 0, 0): the end of the process, by seccomp"))
        #expect(found.text.contains("base.yaml:"))
        #expect(found.text.contains("The network, and every other way to reach a service."))
        #expect(found.text.contains("- { call: socket, when: { domain: AF_INET } }"))
    }

    /// A setting is no entry of `allow:`.
    @Test func `only a remedy that stands under allow is said to stand there`() throws {
        let line = "this line would allow it, under `allow:`"
        #expect(try Self.explained("compute", "flock").text.contains(line))
        let setting = try Self.explained("tool", "mprotect(prot=PROT_READ|PROT_EXEC)").text
        #expect(setting.contains("this would allow it:\n") && !setting.contains(line), "\(setting)")
        let both = try Self.explained("tool", "ptrace", "request=PTRACE_TRACEME").text
        #expect(both.contains("write-xor-execute: off, and under allow: - {") && !both.contains(line), "\(both)")
    }

    @Test func `arguments in both notations mean the same`() throws {
        let one = try Self.explained("compute", "mmap(prot=PROT_READ|PROT_WRITE, flags=MAP_PRIVATE)")
        let other = try Self.explained("compute", "mmap", "prot=PROT_READ|PROT_WRITE", "flags=2")
        #expect(one.text == other.text && one.isAllowed == true)
        #expect(try Self.explained("compute", "mmap", "prot=PROT_EXEC", "flags=2").isAllowed == false)
        #expect(try Self.explained("compute", "41", "0=0x10").json == Self.explained("compute", "socket", "0=16").json)
    }

    @Test func `the explanation of a call without arguments shows all its rules`() throws {
        let found = try Self.explained("base", "futex")
        #expect(found.isAllowed == nil)
        #expect(
            found.text.contains("FUTEX_WAKE_BITSET with no flag besides FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME"))
        #expect(found.text.contains("refused with EPERM and reported otherwise"))
        #expect(try Self.explained("base", "clone3").text.contains("refused with ENOSYS, by seccomp"))
        #expect(try Self.explained("base", "write").text.contains("needed by the launch itself"))
    }

    @Test func `an explanation says which arguments were taken as 0`() throws {
        #expect(try Self.explained("base", "mmap", "prot=PROT_READ").text.contains("taken as 0: flags"))
        #expect(try !Self.explained("base", "mmap", "prot=PROT_READ", "flags=2").text.contains("taken as 0"))
    }

    @Test func `the explanation of a path names its layers and says if no policy may allow it`() throws {
        let found = try Self.explained("compute", "/etc/passwd")
        #expect(found.isAllowed == false && found.text.contains("refused with ENOENT, by own root, Landlock"))
        #expect(found.text.contains("grants: [{ reason: …, rights: [read], paths: [/etc/passwd] }]"))
        #expect(try Self.explained("compute", "/etc/passwd", "write").text.contains("no policy may allow it"))
        #expect(try !Self.explained("compute", "/a\u{1B}[31m").text.contains("\u{1B}"))
    }

    @Test func `every shipped policy can be described in words`() throws {
        for name in PolicyLibrary.shipped.names {
            let whole = try Self.explained(name)
            #expect(whole.isAllowed == nil)
            for title in ["Calls that are allowed", "Every other call", "Paths", "Network", "Limits"] {
                #expect(whole.text.contains(title))
            }
        }
    }

    @Test(arguments: [
        (["ptrce"], "did you mean `ptrace`?"), (["openat", "flag=O_RDONLY"], "did you mean `flags`?"),
        (["openat", "flags=O_RDONL"], "did you mean `O_RDONLY`?"),
        (["openat", "O_RDONLY"], "write arguments as name=value"),
        (["getpid", "x=1"], "unknown argument `x` of `getpid`"), (["/etc", "reed"], "did you mean `read`?"),
        (["openat", "flags="], "unknown value ``"), (["99999999999"], "is neither a system call nor a path"),
    ])
    func `the error for an unknown word suggests the nearest one`(words: [String], message: String) throws {
        let error = #expect(throws: PolicyError.self) { try PolicyQuestion(words: words, architecture: .x86) }
        #expect(error.map { "\($0)" }?.contains(message) == true, "\(error.map { "\($0)" } ?? "no error")")
    }
}
