import AnnexLinux
import AnnexPolicy
import Foundation
import Testing

@testable import AnnexSandbox

/// Trials that really run, and a program around them that notices nothing.
@Suite(.timeLimit(.minutes(20))) struct TrialTests {
    @Test func `every feature has a trial, an identity of its own and a cure`() {
        #expect(Set(KernelFeature.all.map(\.trial)).count == KernelFeature.all.count)
        #expect(Set(KernelFeature.all.map(\.id)).count == KernelFeature.all.count)
        #expect(KernelFeature.all.allSatisfy { !$0.cure.isEmpty && !$0.meaning.isEmpty })
    }

    @Test(arguments: KernelFeature.all.map(\.id))
    func `a trial leaves the program as it was`(id: String) throws {
        let feature = try #require(KernelFeature.all.first { $0.id == id })
        let before = TextFile.read("/proc/thread-self/status") ?? ""
        let answer = feature.attempt()
        let after = TextFile.read("/proc/thread-self/status") ?? ""
        for key in ["Uid:", "CapEff:", "NoNewPrivs:", "Seccomp:", "SigBlk:", "SigIgn:"] {
            #expect(Self.line(key, before) == Self.line(key, after))
        }
        #expect("\(answer)".hasPrefix("tried: "))
    }

    private static func line(_ key: String, _ text: String) -> Substring? {
        text.split(separator: "\n").first { $0.hasPrefix(key) }
    }

    @Test func `every layer is tried by the warden, and nothing is tried unasked`() throws {
        let launcher = try Launcher.start()
        defer { launcher.shutDown() }
        #expect(launcher.lacks.isEmpty)
        let all = try Launcher.start(waiving: Set(SandboxLayer.allCases))
        defer { all.shutDown() }
        // What the launches of the other suites use is there.
        #expect(all.lacks.map(\.layer) == [], "\(all.lacks.map(\.seen))")
    }

    @Test func `the probe's words`() {
        let said = ProbeReport(Array("probe clone3=38 clone=1 unshare=0\n".utf8))
        #expect(said.hasRun && said.escapes == ["unshare"])
        #expect(said.tries == ["clone3": 38, "clone": 1, "unshare": 0])
        #expect(!ProbeReport(Array("something else".utf8)).hasRun)
        #expect(ProbeReport([0xff, 0xfe, 0x20]).tries.isEmpty)
    }

    @Test func `a probe that is refused with its first breath was launched all the same`() throws {
        let bench = try Bench()
        // Which of the two words comes first, that it executed or that it was refused, is the scheduler's to say.
        for round in 0..<30 {
            let readiness = bench.readiness(of: "tool", cures: Cures(.ofThisProcess()))
            #expect(readiness.layers.count == SandboxLayer.allCases.count, "round \(round): \(readiness)")
        }
    }

    @Test func `NS-01: a diagnosis launches under every policy, and no sandbox can make a user namespace`() throws {
        let diagnosis = Doctor.examine()
        #expect(diagnosis.policies.map(\.policy) == PolicyLibrary.shipped.names)
        // A policy that asks for what no launcher builds is refused before there is a process.
        for policy in diagnosis.policies where policy.cause?.hasPrefix("plan: the policy") != true {
            #expect(policy.state == .ready || policy.state == .weaker, "\(policy)")
            #expect(policy.layers.count == SandboxLayer.allCases.count)
            #expect(policy.nestedNamespaces?.isEmpty == false)
        }
        let copy = try JSONDecoder().decode(Diagnosis.self, from: JSONEncoder().encode(diagnosis))
        #expect(copy == diagnosis && copy.outcome == diagnosis.outcome)
    }

    @Test func `folders of doctors that were killed are removed, those of living ones and of others are not`() throws {
        // Process 1 lives, but did not start then.
        let gone = (OwnedName.startTime(of: 1) ?? 0) &+ 1
        let stale = "/tmp/" + OwnedName(owner: 1, started: gone, count: .random(in: 0 ... .max)).text
        // Complete at once: other tests' trials remove such folders too.
        let made = "/tmp/annex-made-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: made + "/" + ProbeBundle.program))
        try #require(rename(made, stale) == 0)
        let link = "/tmp/" + OwnedName(owner: 1, started: gone, count: .random(in: 0 ... .max)).text
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/tmp")
        defer { unlink(link) }
        let living = try ProbeBundle()
        let removed = Doctor.clean()
        #expect(!FileManager.default.fileExists(atPath: stale))
        #expect(!removed.contains(living.path) && FileManager.default.fileExists(atPath: living.path))
        #expect(!removed.contains(link) && (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) != nil)
    }
}
