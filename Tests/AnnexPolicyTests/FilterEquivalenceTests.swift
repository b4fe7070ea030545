import Testing

@testable import AnnexPolicy

/// Filter and policy must give the same answers. An evaluator of these tests checks this.
@Suite struct FilterEquivalenceTests {
    static let x32: [Int32] = (0...600).map { 0x4000_0000 | $0 } + [.max, .min, .min + 1, -2, -1, 0x3FFF_FFFF]

    @Test(arguments: PolicyLibrary.shipped.names, Architecture.allCases)
    func `a filter answers every number and edge as its policy says`(name: String, architecture: Architecture) throws {
        let policy = try Policy.shipped(named: name, for: architecture)
        let judge = FilterChecker(policy: policy, filter: try policy.filter())
        let numbers = Array(0..<1024) + Self.x32
        #expect(judge.firstDifference(among: numbers, architecture: architecture.audit) == nil)
        for foreign: UInt32 in [0x4000_0003, 0xC000_003E, 0xC000_00B7, 0, .max] where foreign != architecture.audit {
            #expect(judge.firstDifference(among: numbers, architecture: foreign) == nil)
        }
    }

    @Test(arguments: Architecture.allCases)
    func `SEC-13: the filter of a thousand rules answers as its policy says`(architecture: Architecture) throws {
        // The filter has far more instructions than an 8-bit jump can skip.
        let commands = (0..<1000).map { String($0 * 3) }.joined(separator: ", ")
        let policy = try PolicySamples.policy(
            """
            allow:
              - reason: Many values of one argument, and calls behind them.
                calls: [getuid, getgid, { call: fcntl, when: { command: [\(commands)] } }, sync, getppid]
            """, for: architecture)
        let filter = try policy.filter()
        #expect(filter.count > 1000)
        let judge = FilterChecker(policy: policy, filter: filter)
        #expect(judge.firstDifference(among: 0..<1024, architecture: architecture.audit) == nil)
        let fcntl = try #require(SystemCall(named: "fcntl", architecture: architecture))
        for command in 0..<3000 as Range<UInt64> {
            let call = FilterEvaluator.Call(
                number: fcntl.number, architecture: architecture.audit, arguments: [0, command, 0, 0, 0, 0])
            #expect(try judge.evaluator.answer(to: call) == (command % 3 == 0 ? .allow : .notify))
        }
    }

    @Test(arguments: Architecture.allCases)
    func `a filter answers every kind of comparison as its policy says`(architecture: Architecture) throws {
        let policy = try PolicySamples.policy(
            """
            allow:
              - reason: One of each.
                calls:
                  - { call: lseek, when: { offset: { below: 0x100000001 }, whence: [SEEK_SET, SEEK_END] } }
                  - { call: pread64, when: { offset: { atMost: 4G } } }
                  - { call: pwrite64, when: { offset: { above: 0xfffffffe } } }
                  - { call: readv, when: { count: { atLeast: 0x100000000 } } }
                  - { call: writev, when: { count: { not: 0x200000000 } } }
                  - { call: mmap, when: { flags: { only: [MAP_SHARED, MAP_PRIVATE, MAP_FIXED], has: MAP_FIXED } } }
                  - { call: openat, when: { flags: { has: [O_CREAT, O_EXCL], without: O_APPEND } } }
                  - { call: socket, when: { 0: 1, type: { mask: 0xf, is: [1, 2] } } }
                  - { call: mprotect, when: { prot: { exactly: [PROT_READ, PROT_WRITE] } } }
                  - { call: prctl, when: { 0: PR_SET_NAME, 4: 0 } }
            refuse:
              - reason: The other half.
                answer: EBADF
                calls:
                  - { call: openat, when: { flags: { has: [O_CREAT, O_APPEND] } } }
                  - { call: mprotect, when: { prot: PROT_READ } }
                  - uname
            """, for: architecture)
        let judge = FilterChecker(policy: policy, filter: try policy.filter())
        #expect(judge.firstDifference(among: 0..<1024, architecture: architecture.audit) == nil)
    }

    @Test func `rules that libseccomp cannot express are an error and give no filter`() throws {
        let error = try #require(
            PolicySamples.error(
                """
                allow: [{ reason: a, calls: [{ call: openat, when: { flags: { only: O_RDONLY } } }] }]
                refuse: [{ reason: b, answer: ENOENT, calls: [openat] }]
                """))
        #expect("\(error)".contains("libseccomp cannot express these rules: openat("))
        #expect(error.place?.line == 4)
    }

    @Test func `the comparison notices a filter that ignores the upper half of an argument`() throws {
        // The comparison must be able to find a difference. Here it compares a filter with another policy.
        let narrow = try PolicySamples.policy("allow: [{ reason: a, calls: [{ call: brk, when: { address: 1 } }] }]")
        let wide = try PolicySamples.policy(
            "allow: [{ reason: a, calls: [{ call: brk, when: { address: { mask: 0xffffffff, is: 1 } } }] }]")
        let judge = FilterChecker(policy: narrow, filter: try wide.filter())
        let difference = try #require(judge.firstDifference(among: 0..<1024, architecture: Architecture.current.audit))
        #expect(difference.expected == .notify && difference.found == .allow)
    }
}
