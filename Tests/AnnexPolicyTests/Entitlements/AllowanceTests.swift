import Testing

@testable import AnnexPolicy

/// Allowances are fragments that a user adds to the policy of a program. No extension can claim one.
@Suite struct AllowanceTests {
    private static func allowance(_ text: String, file: String = "allowances/odd.yaml") throws(PolicyError)
        -> PolicyFragment
    {
        try PolicyFragment(text: "allowance: odd\nname: a\nmeans: b\n" + text, file: file)
    }

    private static func allows(_ policy: Policy, _ call: String, _ arguments: UInt64...) throws -> Bool {
        let number = try #require(SystemCall(named: call, architecture: policy.architecture)).number
        let registers = arguments + [UInt64](repeating: 0, count: 6 - arguments.count)
        let isAllowed = policy.answer(number: number, arguments: registers) == .allow
        // The filter that was compiled ahead decides alike.
        #expect(policy.filterAllows(call, arguments: registers) == isAllowed, "\(call)")
        return isAllowed
    }

    @Test func `jit gives memory that is written and executed, and no other call`() throws {
        let tool = try Policy.shipped(named: "tool")
        let jit = try Policy.shipped(named: "tool+jit")
        #expect(!jit.writeXorExecute && tool.writeXorExecute && jit.allowedCalls == tool.allowedCalls)
        #expect(try Self.allows(jit, "mprotect", 0, 4096, 5) && !Self.allows(tool, "mprotect", 0, 4096, 5))
        #expect(!jit.verdict(path: "/tmp/x", rights: .execute).isAllowed)
        #expect(jit.places[.writeXorExecute]?.file == "allowances/jit.yaml")
    }

    @Test func `loopback and network give sockets of two families`() throws {
        for (name, network) in [("loopback", PolicyNetwork.loopback), ("network", .host)] {
            let policy = try Policy.shipped(named: "tool+\(name)")
            #expect(policy.network == network && policy.writeXorExecute)
            #expect(try Self.allows(policy, "socket", 2, 1) && Self.allows(policy, "socket", 10, 0x80802, 17))
            // With `loopback`, a program may ask the kernel about the sandbox's own network. With `network`, it may
            // not ask about the machine's network.
            #expect(try Self.allows(policy, "socket", 16, 3, 0) == (network == .loopback))
            for (family, kind, number) in [(2, 3, 0), (16, 3, 12), (17, 3, 0), (1, 1, 0), (2, 1, 262), (2, 1, 132)]
                as [(UInt64, UInt64, UInt64)]
            {
                #expect(try !Self.allows(policy, "socket", family, kind, number), "\(family) \(kind) \(number)")
            }
        }
    }

    @Test func `all allowances together still compile`() throws {
        let policy = try Policy.shipped(named: "tool+display+git+jit+network+proc+sockets+ssh-agent+watch")
        #expect(try policy.filter().count <= 4096 && policy.network == .host)
        #expect(try Self.allows(policy, "socket", 1, 1) && Self.allows(policy, "mknodat", 0, 0, 0o010600))
        #expect(try !Self.allows(policy, "mknodat", 0, 0, 0o020600))
    }

    @Test(arguments: [
        ("a.b", "is not the name of an allowance, such as jit"), ("Jit", "is not the name of"),
        ("a+b", "is not the name of"),
        ("jit", "name the file jit.yaml"),
    ])
    func `the name of an allowance is a plain word`(name: String, message: String) {
        let error = #expect(throws: PolicyError.self) {
            try PolicyFragment(text: "allowance: \(name)\nname: a\nmeans: b\n", file: "allowances/odd.yaml")
        }
        #expect(error?.problem.contains(message) == true, "\(String(describing: error))")
    }

    @Test func `an extension can claim no allowance`() throws {
        #expect(
            PolicyLibrary.shipped.allowances == [
                "debug", "display", "git", "hosts", "ipc", "jit", "loopback", "network", "proc", "sockets", "ssh-agent",
                "watch",
            ])
        #expect(PolicyLibrary.shipped.entitlements.allSatisfy { $0.contains(".") })
        #expect(PolicyLibrary.shipped.allowances.allSatisfy { !PolicyFragment.isIdentifier($0) })
        let error = #expect(throws: PolicyError.self) { try PolicyLibrary.shipped.fragment(named: "jitt") }
        #expect(error?.suggestion == "jit" && error?.problem.contains("unknown allowance") == true)
    }

    @Test func `lines of a command line add calls and take none away`() throws {
        let tool = try Policy.shipped(named: "tool")
        let lines = ["- mlockall", "{ call: socket, when: { domain: AF_INET } }"]
        let policy = try tool.joined(with: [PolicyFragment(lines: lines)])
        #expect(try Self.allows(policy, "mlockall") && Self.allows(policy, "socket", 2, 1))
        #expect(Set(policy.allowedCalls).isSuperset(of: tool.allowedCalls))
        // The rules that the policy states about the same call stay.
        let number = try #require(SystemCall(named: "socket")).number
        #expect(policy.answer(number: number, arguments: [1, 1, 0, 0, 0, 0]) == .deny(errno: 97, reported: false))
    }

    @Test func `a line that allows a part of what an allowance denies silently leaves the rest denied`() throws {
        let network = try Policy.shipped(named: "tool+network")
        let policy = try network.joined(with: [
            PolicyFragment(lines: ["{ call: socket, when: { domain: AF_NETLINK, type: { exactly: [SOCK_RAW] } } }"])
        ])
        _ = try policy.filter()
        let number = try #require(SystemCall(named: "socket")).number
        #expect(policy.answer(number: number, arguments: [16, 3, 0, 0, 0, 0]) == .allow)
        // libseccomp cannot express that the call's other uses of AF_NETLINK are denied silently, so the broker
        // denies and reports them.
        #expect(policy.answer(number: number, arguments: [16, 2, 0, 0, 0, 0]) == .deny(errno: 97, reported: true))
        #expect(policy.answer(number: number, arguments: [1, 1, 0, 0, 0, 0]) == .deny(errno: 97, reported: false))
    }

    @Test func `a mistake in a line of the command line names the option`() throws {
        let error = #expect(throws: PolicyError.self) {
            try Policy.shipped(named: "tool").joined(with: [PolicyFragment(lines: ["ptrace"])])
        }
        #expect(error.map { "\($0)" }?.hasPrefix("--allow-line:") == true, "\(String(describing: error))")
    }

    @Test(arguments: ["", "- ", "nosuchcall", "read\nwrite", "{ call: mmap, when: { x: 1 } }", "]", "- {"])
    func `a wrong line is an error`(line: String) {
        #expect(throws: PolicyError.self) { try PolicyFragment(lines: [line]) }
    }

    @Test func `the suggested line for a denied call is accepted and allows it`() throws {
        let tool = try Policy.shipped(named: "tool")
        for (call, arguments) in [
            ("prlimit64", [1, 7, 0x7FFD_1234_5678, 0, 0, 0]), ("mlockall", [1, 0, 0, 0, 0, 0]),
            ("ioctl", [0, 0xC020_660B, 0x7FFF_0000, 0, 0, 0]), ("socket", [2, 3, 255, 0, 0, 0]),
        ] as [(String, [UInt64])] {
            let number = try #require(SystemCall(named: call)).number
            let remedy = try #require(tool.verdict(number: number, arguments: arguments).remedy?.text)
            #expect(!remedy.contains("7ff"), "an address differs from run to run: \(remedy)")
            let policy = try tool.joined(with: [PolicyFragment(lines: [remedy])])
            #expect(policy.answer(number: number, arguments: arguments) == .allow, "\(remedy)")
        }
    }

    private static func use(_ call: String, _ arguments: UInt64...) throws -> CallUse {
        let number = try #require(SystemCall(named: call)).number
        return CallUse(number: number, arguments: arguments + [UInt64](repeating: 0, count: 6 - arguments.count))
    }

    @Test func `an allowance is a remedy for the calls that it is for, and for no others`() throws {
        let allowances = Allowances(beside: try Policy.shipped(named: "tool"))
        func names(_ call: String, _ arguments: UInt64...) throws -> [String] {
            let number = try #require(SystemCall(named: call)).number
            let registers = arguments + [UInt64](repeating: 0, count: 6 - arguments.count)
            return allowances.allowing(CallUse(number: number, arguments: registers)).map(\.identifier)
        }
        #expect(try names("socket", 2, 1) == ["hosts", "network", "loopback"])
        #expect(try names("socket", 2, 3) == [])
        #expect(try names("socket", 1, 1) == ["sockets"])
        #expect(try names("mknod", 0, 0o010644) == ["sockets"] && names("mknod", 0, 0o020644) == [])
        #expect(try names("inotify_add_watch", 0, 0, 0x20) == ["watch"] && names("inotify_add_watch", 0, 0, 2) == [])
        #expect(try Set(names("connect")) == ["hosts", "network", "sockets", "loopback"])
        #expect(try names("mprotect", 0, 4096, 5) == ["jit"])
        #expect(try names("ptrace", 16) == ["debug"] && names("ptrace", 0x420c) == [])
        #expect(try names("personality", 0x40000) == ["debug"] && names("personality", 0x400000) == [])
        #expect(try names("shmget") == ["ipc"] && names("shmctl", 0, 11) == [])
        #expect(allowances.giving(.processFiles(.full)).map(\.identifier) == ["proc"])
        #expect(allowances.giving(.writeXorExecuteOff).map(\.identifier) == ["jit"])
        #expect(allowances.giving(.devices([.null])).isEmpty && allowances.giving(.grant("/srv", .read)).isEmpty)
    }

    @Test func `an allowance that the policy has is no remedy`() throws {
        let policy = try Policy.shipped(named: "tool+debug+sockets")
        let allowances = Allowances(beside: policy)
        #expect(try allowances.allowing(Self.use("ptrace", 16)).isEmpty)
        #expect(!allowances.isMissing("debug") && !allowances.isMissing("sockets") && allowances.isMissing("network"))
        #expect(!allowances.isMissing("nosuch"))
    }

    @Test func `a new allowance is a remedy without a change of code`() throws {
        let text = """
            allowance: clock
            name: set the clock
            means: For a test.
            hint: for clocks
            devices: [random]
            allow: [{ reason: For a test., calls: [clock_settime] }]
            """
        let library = PolicyLibrary(texts: [:], fragments: ["clock": text])
        let allowances = Allowances(library, beside: try Policy.shipped(named: "tool"))
        let found = try #require(allowances.allowing(Self.use("clock_settime")).first)
        #expect(found.identifier == "clock" && found.hint == "for clocks")
        #expect(try allowances.allowing(Self.use("clock_adjtime")).isEmpty)
        let entitlement = text.replacing("allowance: clock", with: "entitlement: a.clock")
        let error = #expect(throws: PolicyError.self) { try PolicyFragment(text: entitlement, file: "a.clock.yaml") }
        #expect(error.map { "\($0)" }?.contains("unknown key `hint`") == true)
    }

    @Test func `limits are set higher and lower`() throws {
        let tool = try Policy.shipped(named: "tool")
        let policy = try tool.limited(to: ["memory=2G", "processes=3", "request=1ms", "scratch=1G"])
        #expect(policy.limits.memory == 2 << 30 && policy.limits.processes == 3)
        #expect(policy.limits.request == .milliseconds(1) && policy.limits.file == tool.limits.file)
        #expect(policy.paths.scratch?.size == 1 << 30 && policy.paths.scratch?.path == "/tmp")
        let most = UInt64(Int64.max)
        #expect(try tool.limited(to: ["scratch=\(most)"]).paths.scratch?.size == most)
        #expect(Quantity.four(times: most) == most && Quantity.four(times: 3) == 12)
    }

    @Test(arguments: [
        ("memory", "write NAME=VALUE"), ("memry=1G", "unknown limit `memry`"), ("memory=lots", "is not a size"),
        ("request=5", "is not a time"), ("processes=0", "is not a whole number"), ("scratch=-1", "is not a size"),
        ("memory='1", "is not a size"),
    ])
    func `a wrong limit is an error`(setting: String, message: String) throws {
        let tool = try Policy.shipped(named: "tool")
        let error = #expect(throws: PolicyError.self) { try tool.limited(to: [setting]) }
        #expect(error?.problem.contains(message) == true, "\(String(describing: error))")
    }
}
