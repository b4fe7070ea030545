import Testing

@testable import AnnexPolicy
@testable import AnnexPolicyTools

/// With `bounded: locks`, a policy allows these calls, and the broker counts their locks.
@Suite struct BoundTests {
    private static let text = """
        allow:
          - reason: Descriptors.
            calls:
              - { call: fcntl, when: { command: [F_GETFD, F_GETLK] } }
              - { call: flock, when: { operation: { without: LOCK_EX } } }
          - reason: Locks.
            bounded: locks
            calls:
              - { call: fcntl, when: { command: [F_SETLK, F_SETLKW] } }
              - { call: flock, when: { operation: { has: LOCK_EX } } }
        """

    private static func bound(_ policy: Policy, _ name: String, _ arguments: [UInt64]) throws -> CallBound? {
        let call = try #require(SystemCall(named: name))
        let verdict = policy.verdict(number: call.number, arguments: arguments)
        #expect(verdict.answer == .allow)
        return verdict.bound
    }

    @Test func `a bounded call is allowed and reported`() throws {
        let policy = try PolicySamples.policy(Self.text)
        #expect(try Self.bound(policy, "fcntl", [3, 6]) == .locks)
        #expect(try Self.bound(policy, "flock", [3, 2]) == .locks)
        #expect(try Self.bound(policy, "flock", [3, 6]) == .locks)
        #expect(try Self.bound(policy, "fcntl", [3, 1]) == nil)
        #expect(try Self.bound(policy, "flock", [3, 1]) == nil)
        #expect(try Self.bound(policy, "read", [0]) == nil)
    }

    @Test(arguments: FilterReports.allCases)
    func `the filter refers a bounded call to the listener`(reporting: FilterReports) throws {
        let policy = try PolicySamples.policy(Self.text)
        let evaluator = FilterEvaluator(program: try policy.filter(reporting: reporting).program)
        let number = try #require(SystemCall(named: "fcntl")).number
        for (command, answer) in [
            (6, FilterAnswer.notify), (7, .notify), (1, reporting == .everything ? .notify : .allow),
        ] {
            let call = FilterEvaluator.Call(
                number: number, architecture: Architecture.current.audit, arguments: [3, UInt64(command), 0, 0, 0, 0])
            #expect(try evaluator.answer(to: call) == answer)
        }
    }

    @Test func `a joined policy text keeps the bound`() throws {
        let policy = try PolicySamples.policy(Self.text)
        let again = try PolicyLibrary(texts: ["test": policy.joinedText]).policy(named: "test")
        #expect(try Self.bound(again, "fcntl", [3, 6]) == .locks)
        #expect(try Self.bound(again, "fcntl", [3, 1]) == nil)
        #expect(try PolicyDifference(between: policy, and: again).isEmpty)
    }

    @Test func `a policy without a bound allows more than one with it`() throws {
        let free = try PolicySamples.policy(Self.text.replacing("    bounded: locks\n", with: ""))
        let bounded = try PolicySamples.policy(Self.text)
        let difference = try PolicyDifference(between: free, and: bounded)
        #expect(Set(difference.calls.map(\.call.name)) == ["fcntl", "flock"])
        #expect(difference.calls.allSatisfy { !$0.onlyFirst.isEmpty && $0.onlySecond.isEmpty })
    }

    @Test func `a policy that allows locks without a bound gets a warning`() throws {
        let free = try PolicySamples.policy(Self.text.replacing("    bounded: locks\n", with: "")).findings()
        #expect(free.contains { $0.description.contains("lets `fcntl` pass with F_SETLK, F_SETLKW") })
        #expect(free.contains { $0.description.contains("`bounded: locks` in a separate group") })
        let bounded = try PolicySamples.policy(Self.text).findings()
        #expect(!bounded.contains { $0.description.contains("lock") }, "\(bounded)")
    }

    @Test(arguments: [
        ("getpid", "`bounded: locks` is for `flock` with `operation: { has: LOCK_EX }`, and for `fcntl`"),
        ("fcntl", "F_SETLKW alone"), ("{ call: fcntl, when: { command: [F_SETLK, F_OFD_SETLK] } }", "F_SETLKW alone"),
        ("{ call: fcntl, when: { fd: 3 } }", "F_SETLKW alone"), ("flock", "F_SETLKW alone"),
        // Each of these rules lets the program release or share a lock.
        ("{ call: flock, when: { operation: [LOCK_EX, LOCK_UN] } }", "F_SETLKW alone"),
        ("{ call: flock, when: { operation: { only: [LOCK_EX, LOCK_SH] } } }", "F_SETLKW alone"),
        ("{ call: flock, when: { operation: { without: LOCK_NB } } }", "F_SETLKW alone"),
        ("{ call: flock, when: { fd: 3 } }", "F_SETLKW alone"),
    ])
    func `a bound on a call whose locks cannot be counted is refused`(entry: String, message: String) throws {
        let text = "allow: [{ reason: a, bounded: locks, calls: [\(entry)] }]"
        let error = #expect(throws: PolicyError.self) { try PolicySamples.policy(text) }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        (
            "{ call: clone, when: { flags: { has: CLONE_THREAD, without: CLONE_FILES } } }",
            "with CLONE_THREAD and without CLONE_FILES"
        ),
        ("{ call: clone, when: { flags: { without: CLONE_NEWUSER } } }", "with CLONE_FILES and without CLONE_THREAD"),
        ("{ call: close_range, when: { flags: { has: CLOSE_RANGE_UNSHARE } } }", "with CLOSE_RANGE_UNSHARE"),
        ("close_range", "with CLOSE_RANGE_UNSHARE"),
    ])
    func `a call that parts locks from their process gets a warning`(entry: String, message: String) throws {
        let more = Self.text + "\n  - { reason: More., calls: [\(entry)] }"
        let problems = { try PolicySamples.policy($0).findings().map(\.description).joined(separator: "\n") }
        let found = try problems(more)
        #expect(found.contains("counts locks, but lets") && found.contains(message), "\(found)")
        // A policy that counts no locks gets no such warning.
        #expect(try !problems(more.replacing("    bounded: locks\n", with: "")).contains("counts locks"))
    }

    @Test func `calls that keep locks with their process get no warning`() throws {
        let more =
            Self.text + """

                  - reason: Threads, programs and descriptors.
                    calls:
                      - { call: clone, when: { flags: { has: [CLONE_FILES, CLONE_THREAD], without: CLONE_NEWUSER } } }
                      - { call: clone, when: { flags: { without: [CLONE_FILES, CLONE_THREAD, CLONE_NEWUSER] } } }
                      - { call: close_range, when: { flags: { without: CLOSE_RANGE_UNSHARE } } }
                """
        let found = try PolicySamples.policy(more).findings()
        #expect(!found.contains { $0.description.contains("counts locks") }, "\(found)")
    }

    @Test(arguments: [[0x11, 0x3D_0F00], [0x3D_0F00], nil] as [[UInt64]?])
    func `a proposal for threads keeps their locks with the process`(flags: [UInt64]?) throws {
        var recording = Recording()
        let seen = flags.map { $0.map { ("clone", [$0]) } } ?? [("clone3", [])]
        for (name, arguments) in seen + [("fcntl", [3, 6])] as [(String, [UInt64])] {
            let number = try #require(SystemCall(named: name)).number
            recording.add(call: number, arguments: arguments + [UInt64](repeating: 0, count: 6 - arguments.count))
        }
        let proposal = try ProposalTests.proposal(recording)
        let policy = try ProposalTests.policy(proposal)
        #expect(!policy.findings().contains { $0.description.contains("counts locks") }, "\(proposal.text)")
        let clone = try #require(SystemCall(named: "clone")).number
        for flags in flags ?? [0x11, 0x3D_0F00] {
            #expect(policy.answer(number: clone, arguments: [flags, 0, 0, 0, 0, 0]) == .allow, "\(proposal.text)")
        }
        #expect(policy.answer(number: clone, arguments: [0x3D_0B00, 0, 0, 0, 0, 0]) != .allow, "\(proposal.text)")
    }

    @Test func `the error for an unknown bound suggests a known one`() {
        let error = #expect(throws: PolicyError.self) {
            try PolicySamples.policy("allow: [{ reason: a, bounded: lock, calls: [flock] }]")
        }
        #expect(error?.suggestion == "locks")
    }

    @Test func `a proposal bounds the locks that were recorded`() throws {
        var recording = Recording()
        for (name, arguments) in [("fcntl", [3, 1]), ("fcntl", [3, 6]), ("flock", [3, 2])] as [(String, [UInt64])] {
            let number = try #require(SystemCall(named: name)).number
            recording.add(call: number, arguments: arguments + [UInt64](repeating: 0, count: 6 - arguments.count))
        }
        let policy = try ProposalTests.policy(ProposalTests.proposal(recording))
        #expect(try Self.bound(policy, "fcntl", [3, 6]) == .locks)
        #expect(try Self.bound(policy, "flock", [3, 2]) == .locks)
        #expect(try Self.bound(policy, "fcntl", [3, 1]) == nil)
    }

    @Test(arguments: [[2, 8], [6, 1, 8], [2], [1, 8]] as [[UInt64]])
    func `a proposal bounds only the exclusive locks of flock`(operations: [UInt64]) throws {
        let number = try #require(SystemCall(named: "flock")).number
        var recording = Recording()
        for operation in operations { recording.add(call: number, arguments: [3, operation, 0, 0, 0, 0]) }
        let proposal = try ProposalTests.proposal(recording)
        let policy = try ProposalTests.policy(proposal)
        for operation in operations {
            #expect(
                try Self.bound(policy, "flock", [3, operation]) == (operation & 2 != 0 ? .locks : nil),
                "\(operation) of \(proposal.text)")
        }
        #expect(!policy.findings().contains { $0.description.contains("flock") }, "\(proposal.text)")
    }
}
