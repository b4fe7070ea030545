import Testing

@testable import AnnexPolicy

/// A policy joined with grants. A joined policy allows exactly what the policy and the fragments allow.
@Suite struct JoiningTests {
    private static func fragment(_ name: String, _ text: String) throws(PolicyError) -> PolicyFragment {
        try PolicyFragment(
            text: "entitlement: \(name)\nname: a\nmeans: b\n" + text, file: "entitlements/\(name).yaml")
    }

    private static func answer(_ policy: Policy, _ call: String, _ arguments: UInt64...) throws -> CallAnswer {
        let number = try #require(SystemCall(named: call, architecture: policy.architecture)).number
        return policy.answer(
            number: number, arguments: arguments + [UInt64](repeating: 0, count: 6 - arguments.count))
    }

    private static let one = """
        allow: [{ reason: a, calls: [{ call: kill, when: { signal: SIGTERM } }, getppid] }]
        refuse: [{ reason: a, answer: EACCES, calls: [{ call: socket, when: { domain: AF_UNIX } }] }]
        network: loopback
        limits: { memory: 1G, grace: 100ms }
        """
    private static let other = """
        allow: [{ reason: b, calls: [{ call: kill, when: { signal: SIGHUP } }, { call: socket, when: { domain: AF_UNIX } }, openat] }]
        devices: [zero]
        environment: { pass: [LANG, TERM], set: { B: c } }
        paths: { grants: [{ reason: c, rights: [read], paths: [/srv/a] }] }
        """
    private static let policy = """
        allow: [{ reason: p, calls: [{ call: kill, when: { signal: SIGINT } }] }]
        end: [{ reason: p, calls: [kill, socket, ptrace] }]
        """

    @Test func `a joined policy adds the statements of fragments and keeps its own`() throws {
        let policy = try PolicySamples.policy(Self.policy)
        let joined = try policy.joined(with: [Self.fragment("org.a", Self.one), Self.fragment("org.b", Self.other)])
        #expect(joined.name == "test+org.a+org.b" && joined.summary == policy.summary)
        for signal: UInt64 in [1, 2, 15] { #expect(try Self.answer(joined, "kill", 1, signal) == .allow) }
        #expect(try Self.answer(joined, "kill", 1, 9) == .end)
        #expect(try Self.answer(joined, "ptrace") == .end)
        // If one fragment allows a call and another fragment refuses it, the call is allowed.
        #expect(try Self.answer(joined, "socket", 1) == .allow)
        #expect(try Self.answer(joined, "socket", 2) == .end)
        #expect(joined.network == .loopback && joined.devices == [.zero])
        #expect(
            joined.environment.passed == ["LANG", "TERM"] && joined.environment.fixed == ["SWIFT_ROOT": "/", "B": "c"])
        // A fragment can raise a limit, but never lower it.
        #expect(joined.limits.memory == 1 << 30 && joined.limits.grace == .milliseconds(500))
        #expect(joined.verdict(path: "/srv/a/x", rights: .read).isAllowed)
        #expect(!joined.verdict(path: "/srv/a/x", rights: .write).isAllowed)
    }

    @Test func `the order of fragments does not matter and joining twice changes nothing`() throws {
        let policy = try PolicySamples.policy(Self.policy)
        let fragments = [try Self.fragment("org.a", Self.one), try Self.fragment("org.b", Self.other)]
        let joined = try policy.joined(with: fragments)
        #expect(try policy.joined(with: fragments.reversed()) == joined)
        #expect(try joined.joined(with: fragments) == joined)
        #expect(try policy.joined(with: [fragments[1]]).joined(with: [fragments[0]]).filter() == joined.filter())
        #expect(try policy.joined(with: []) == policy)
    }

    @Test func `a fragment without calls keeps the filter of its policy`() throws {
        let policy = try PolicySamples.policy(Self.policy)
        let joined = try policy.joined(with: [Self.fragment("org.c", "devices: [full]")])
        #expect(joined.rules == policy.rules && joined.book.filter == policy.book.filter)
        #expect(joined.name == "test+org.c" && joined.devices == [.full])
    }

    @Test func `the verdict of a joined rule points into the fragment`() throws {
        let joined = try PolicySamples.policy(Self.policy).joined(with: [Self.fragment("org.a", Self.one)])
        let number = try #require(SystemCall(named: "getppid")).number
        let verdict = joined.verdict(number: number, arguments: [0, 0, 0, 0, 0, 0])
        #expect("\(verdict.place)" == "entitlements/org.a.yaml:4:73")
        #expect(joined.places[.network]?.file == "entitlements/org.a.yaml")
        #expect(joined.places[.limit(.memory)]?.file == "entitlements/org.a.yaml")
        #expect(joined.places[.limit(.grace)]?.file == "frame.yaml")
    }

    @Test func `write-xor-execute holds over the rules of a fragment too`() throws {
        let policy = try PolicySamples.policy("write-xor-execute: on\n" + Self.policy)
        let joined = try policy.joined(with: [Self.fragment("org.a", "allow: [{ reason: a, calls: [mmap] }]")])
        #expect(try Self.answer(joined, "mmap", 0, 1, 3, 2) == .allow)
        #expect(try Self.answer(joined, "mmap", 0, 1, 7, 2) == .deny(errno: 1, reported: true))
        for call in ["memfd_secret", "ptrace"] {
            #expect(throws: PolicyError.self) {
                try policy.joined(with: [Self.fragment("org.a", "allow: [{ reason: a, calls: [\(call)] }]")])
            }
        }
        // If one fragment allows writing a file, no other fragment may allow executing it.
        let text = "paths: { grants: [{ reason: c, rights: [read, %], paths: [/srv/a] }] }"
        let both = try ["write", "execute"].map { try Self.fragment("org.\($0)", text.replacing("%", with: $0)) }
        let verdict = try policy.joined(with: both).verdict(path: "/srv/a", rights: .execute)
        #expect(!verdict.isAllowed)
    }

    @Test func `a bound of a fragment takes nothing away from a policy without it`() throws {
        let text = "allow: [{ reason: a, bounded: connections, calls: [connect] }]"
        let fragment = try Self.fragment("org.a", text)
        let number = try #require(SystemCall(named: "connect")).number
        let free = try PolicySamples.policy("allow: [{ reason: a, calls: [connect] }]").joined(with: [fragment])
        #expect(free.bound(number: number, arguments: [0, 0, 0, 0, 0, 0]) == nil)
        let ended = try PolicySamples.policy("end: [{ reason: a, calls: [connect] }]").joined(with: [fragment])
        #expect(ended.bound(number: number, arguments: [0, 0, 0, 0, 0, 0]) == .connections)
    }

    @Test(arguments: [
        ("environment: { set: { SWIFT_ROOT: /other } }", "org.a sets `SWIFT_ROOT`, which the policy sets"),
        ("network: client\nallow: [{ reason: a, calls: [connect] }]", "state `bounded: connections`"),
    ])
    func `a contradiction between policy and fragment is named with its place`(text: String, message: String) throws {
        let (policy, fragment) = (try PolicySamples.policy(Self.policy), try Self.fragment("org.a", text))
        let error = #expect(throws: PolicyError.self) { try policy.joined(with: [fragment]) }
        #expect(error?.problem.contains(message) == true, "\(String(describing: error))")
        #expect(error?.place?.file == "entitlements/org.a.yaml")
    }

    @Test func `a policy for clients states a bound on each of its connections`() {
        let free = PolicySamples.error("network: client\nallow: [{ reason: a, calls: [socket, connect] }]")
        #expect(free?.problem.contains("state `bounded: connections`, or `network: host`") == true)
        let bounded = "network: client\nallow: [{ reason: a, bounded: connections, calls: [connect] }]"
        #expect(PolicySamples.error(bounded) == nil)
    }

    @Test func `joined names are read by the library in any order`() throws {
        let library = PolicyLibrary.shipped
        let (point, client) = ("com.apple.share-services", "com.apple.security.network.client")
        let groups = "com.apple.security.application-groups"
        let policy = try library.policy(named: "\(point)+\(client)+\(groups)+\(client)")
        #expect(policy.name == "\(point)+\(groups)+\(client)")
        let misspelled = #expect(throws: PolicyError.self) { try library.policy(named: "\(point)+\(client)s") }
        #expect(misspelled?.suggestion == client)
        #expect(throws: PolicyError.self) { try library.policy(named: "\(point)+") }
        #expect(throws: PolicyError.self) { try library.policy(named: "+\(client)") }
        let many = (0..<17).map { "+org.example.e\($0)" }.joined()
        let error = #expect(throws: PolicyError.self) { try library.policy(named: point + many) }
        #expect(error?.problem == "the name joins more than 16 fragments")
    }

    @Test(arguments: ShippedPolicyTests.points)
    func `named machines narrow the network and change no other right`(point: String) throws {
        let (client, form) = ("com.apple.security.network.client", "com.apple.security.network.client.hosts")
        #expect(PolicyFragment.names(of: ["a.b", client], hasHosts: true) == ["a.b", form])
        #expect(PolicyFragment.names(of: ["a.b", client], hasHosts: false) == ["a.b", client])
        let wide = try PolicyLibrary.shipped.policy(named: "\(point)+\(client)")
        let narrow = try PolicyLibrary.shipped.policy(named: "\(point)+\(form)").allowing([HostRule("a.example:443")])
        #expect(narrow.network == .hosts && narrow.hosts.list.map(\.description) == ["a.example:443"])
        #expect(narrow.hosts.check == .usual && narrow.environment == wide.environment && narrow.limits == wide.limits)
        let connect = try #require(SystemCall(named: "connect")).number
        #expect(narrow.verdict(number: connect, arguments: [0, 0, 0, 0, 0, 0]).bound == .hosts)
        #expect(wide.verdict(number: connect, arguments: [0, 0, 0, 0, 0, 0]).bound == .connections)
        #expect(narrow.allowedCalls == wide.allowedCalls)
        // The filter asks the broker about the same calls, and answers all others in the same way.
        #expect(try narrow.filter().template == wide.filter().template)
        let grants = Set(wide.paths.grants.map(\.path)).subtracting(narrow.paths.grants.map(\.path))
        #expect(grants == ["/etc/resolv.conf"])
    }

    @Test(arguments: ShippedPolicyTests.points) func `every shipped combination weakens nothing that it does not name`(
        point: String
    ) throws {
        let policy = try Policy.shipped(named: point)
        let fragments = try PolicyLibrary.shipped.entitlements.map { try PolicyFragment.shipped($0) }
        let joined = try policy.joined(with: fragments)
        let named = Set(fragments.flatMap(\.calls.keys))
        for (number, rules) in policy.rules {
            if let call = rules.first?.call, !named.contains(call) { #expect(joined.rules[number] == rules, "\(call)") }
        }
        #expect(joined.writeXorExecute && joined.paths.scratch == policy.paths.scratch)
        #expect(joined.paths.processFiles == .none && joined.devices.isEmpty && joined.limits == policy.limits)
        for call in ["execve", "ptrace", "bind", "listen", "accept", "socketpair", "mount", "bpf", "io_uring_setup"] {
            #expect(try Self.answer(joined, call) == Self.answer(policy, call), "\(call)")
        }
    }
}
