import AnnexLinux
import AnnexPolicy
import Foundation
import Testing

@testable import AnnexDoctor
@testable import AnnexLaunch

/// Trials that really run. They must not change the program that runs them.
@Suite(.timeLimit(.minutes(20))) struct TrialTests {
    @Test func `every feature has a trial, an identity and a remedy`() {
        #expect(Set(KernelFeature.all.map(\.trial)).count == KernelFeature.all.count)
        #expect(Set(KernelFeature.all.map(\.id)).count == KernelFeature.all.count)
        #expect(KernelFeature.all.allSatisfy { !$0.remedy.isEmpty && !$0.meaning.isEmpty })
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

    @Test func `the warden tries exactly the layers that it is asked for`() throws {
        let launcher = try Launcher.start()
        defer { launcher.shutDown() }
        #expect(launcher.missingLayers.isEmpty)
        let all = try Launcher.start(waiving: Set(SandboxLayer.allCases))
        defer { all.shutDown() }
        // The layers that the launches of the other suites use are available.
        #expect(all.missingLayers.map(\.layer) == [], "\(all.missingLayers.map(\.seen))")
    }

    @Test func `the report of the probe is read`() {
        let said = ProbeReport(Array("probe clone3=38 clone=1 unshare=0\n".utf8))
        #expect(said.hasRun && said.escapes == ["unshare"])
        #expect(said.tries == ["clone3": 38, "clone": 1, "unshare": 0])
        #expect(!ProbeReport(Array("something else".utf8)).hasRun)
        #expect(ProbeReport([0xff, 0xfe, 0x20]).tries.isEmpty)
    }

    @Test func `a probe that is denied at once counts as launched`() throws {
        let probes = try ProbeLauncher()
        // The scheduler decides which report comes first: the execution of the probe, or the denial.
        for round in 0..<30 {
            let readiness = probes.readiness(of: "tool", remedies: Remedies(.ofThisProcess()))
            #expect(readiness.layers.count == SandboxLayer.allCases.count, "round \(round): \(readiness)")
        }
    }

    @Test func `NS-01: a diagnosis launches every policy and finds no nested user namespace`() throws {
        let diagnosis = Doctor.examine()
        #expect(diagnosis.policies.map(\.policy) == PolicyLibrary.shipped.names)
        // If a policy needs a part that no launcher builds, the launcher rejects it before a process exists.
        for policy in diagnosis.policies where policy.cause?.hasPrefix("plan: the policy") != true {
            #expect(policy.state == .ready || policy.state == .weaker, "\(policy)")
            // A policy without /proc has no layer of that name.
            let lacks = try Policy.shipped(named: policy.policy).paths.processFiles == .none ? 1 : 0
            #expect(policy.layers.count == SandboxLayer.allCases.count - lacks, "\(policy)")
            #expect(policy.nestedNamespaces?.isEmpty == false)
        }
        let copy = try JSONDecoder().decode(Diagnosis.self, from: JSONEncoder().encode(diagnosis))
        #expect(copy == diagnosis && copy.outcome == diagnosis.outcome)
    }

    @Test func `only folders of doctors that were killed are removed`() throws {
        // Process 1 is alive, but it did not start at this time.
        let gone = (OwnedName.startTime(of: 1) ?? 0) &+ 1
        let stale = "/tmp/" + OwnedName(owner: 1, started: gone, count: .random(in: 0 ... .max)).text
        // The folder must be complete at once, because trials of other tests remove folders like this one.
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
