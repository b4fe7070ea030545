import AnnexAttacks
import AnnexLaunch
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct CatalogueTests {
    /// Every shipped policy, and one policy for each filter that an entitlement or an allowance makes.
    static let policies =
        PolicyLibrary.shipped.names
        + ["com.apple.keyboard-service", "com.apple.share-services"].flatMap { point in
            ["client", "client.hosts"].map { "\(point)+com.apple.security.network.\($0)" }
        }
        + ["com.apple.share-services+com.apple.security.application-groups"]
        + PolicyLibrary.shipped.allowances.filter { $0 != "proc" }.map { "tool+\($0)" }

    /// The number of policies that are tried at once. Each policy has its own launcher, services and canaries, which
    /// are objects of the host that no sandbox may reach.
    private static let atOnce = 3

    @Test func `no attack gets through under a shipped policy`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, name) in Self.policies.enumerated() {
                if place >= Self.atOnce { try await group.next() }
                group.addTask { try await Self.tryAll(under: name) { !$0.usesUpSharedCounts } }
            }
            try await group.waitForAll()
        }
        for name in Self.policies + (WholeProc.isPossible ? ["tool+proc"] : []) {
            try await Self.tryAll(under: name) { $0.usesUpSharedCounts }
        }
    }

    @Test(.enabled(if: WholeProc.isPossible, "a part of /proc is hidden here, so no sandbox may show all of it"))
    func `no attack gets through where files of the kernel may be read`() async throws {
        try await Self.tryAll(under: "tool+proc") { !$0.usesUpSharedCounts }
    }

    private static func tryAll(under name: String, where isWanted: (Attack) -> Bool) async throws {
        let policy = name == "tool" ? try Policy.shipped(named: name) : try Self.policy(named: name)
        let runner = try AttackRunner()
        for attack in Catalogue.attacks where isWanted(attack) {
            let result = try await runner.run(attack, under: policy)
            #expect(result.verdict != .gotThrough, "\(attack.id): \(result.detail) under \(name)")
            if case .allowed(let line) = result.verdict { #expect(!line.isEmpty, "\(attack.id) under \(name)") }
        }
    }

    /// A shipped policy that stands at most 1,000 denied calls. SEC-09 makes as many as the policy allows and some more,
    /// which are a hundred thousand under each policy that is based on `tool`. One trial of those is enough.
    static func policy(named name: String) throws -> Policy {
        let policy = try Policy.shipped(named: name)
        return policy.limits.denials > 1000 ? try policy.limited(to: ["denials=1000"]) : policy
    }

    @Test func `attack identifiers are unique, ordered and complete`() throws {
        let ids = Catalogue.attacks.map(\.id)
        #expect(Set(ids).count == ids.count)
        for (section, count) in Self.listed {
            let numbers = Catalogue.attacks.filter { $0.section == section }.map { Int($0.id.suffix(2)) ?? 0 }
            #expect(!numbers.isEmpty && numbers == Array(1...max(count, numbers.count)), "\(section)")
            let listed = Catalogue.attacks.filter { $0.section == section && !$0.isAddition }
            #expect(listed.count == count, "\(section) without Annex's own")
        }
        #expect(Self.listed.map(\.count).reduce(0, +) == 152)
        #expect(Set(Catalogue.sections.map(\.prefix)) == Set(Self.listed.map(\.section)))
    }

    /// How many techniques the list has in each section.
    private static let listed: [(section: String, count: Int)] = [
        ("FS", 27), ("PROC", 10), ("NS", 9), ("SEC", 13), ("KERN", 12), ("FD", 8), ("TTY", 4), ("SIG", 7), ("SOCK", 5),
        ("NET", 6), ("START", 8), ("BOMB", 17), ("KOBJ", 0), ("IPC", 9), ("LIFE", 7), ("DEPUTY", 10),
        ("SEAL", 0), ("SHARE", 0), ("TODAY", 0),
    ]

    @Test func `every test that drives an attack exists`() throws {
        for attack in Catalogue.attacks {
            guard case .drivenBy(let tests) = attack.trial else { continue }
            #expect(!tests.isEmpty)
            for test in tests {
                let parts = test.split(separator: ": ", maxSplits: 1).map(String.init)
                let file = Self.tests.appending(path: parts[0] + ".swift")
                let text = try String(contentsOf: file, encoding: .utf8)
                let isNamed = text.split(separator: "\n").contains { line in
                    line.contains(parts[1]) && (line.contains("func ") || line.contains("\""))
                }
                #expect(isNamed && text.contains("@Test"), "\(attack.id): \(test)")
            }
        }
    }

    @Test(arguments: PolicyLibrary.shipped.names) func `SEC-10: every policy allows the calls that honest code needs`(
        _ name: String
    ) throws {
        let policy = try Policy.shipped(named: name)
        for call in ["restart_syscall", "rt_sigreturn", "exit_group"] {
            let number = try #require(SystemCall(named: call)).number
            let verdict = policy.verdict(number: number, arguments: [UInt64](repeating: 0, count: 6))
            #expect(verdict.answer == .allow, "\(call)")
        }
    }

    @Test func `the page of attacks matches the catalogue`() throws {
        let page = Self.tests.deletingLastPathComponent().appending(path: "Docs/Reference/Attacks.md")
        let policies = try PolicyLibrary.shipped.names.map { try Policy.shipped(named: $0) }
        let text = CatalogueDocument(of: try AttackRunner(), under: policies).text
        #expect(try String(contentsOf: page, encoding: .utf8) == text, "make attacks-page brings it up to date")
    }

    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
}
