import AnnexLaunch
import AnnexPolicy
import Testing

/// What is said about the layers that a machine lacks.
@Suite struct ShortfallTests {
    @Test func `every layer that is missing is named with its option`() {
        let shortfall = Shortfall([.pid, .processFiles])
        #expect(shortfall.options == "--waive pid --waive proc" && shortfall.summary == "pid, proc")
        #expect(Shortfall([]).isEmpty && !shortfall.isEmpty)
    }

    @Test(arguments: [
        ([SandboxLayer.root, .landlock], "files"), ([.mount, .landlock], "files"), ([.seccomp], "system calls"),
    ])
    func `if nothing limits files or calls the line says so`(layers: [SandboxLayer], warning: String) {
        #expect(Shortfall(layers).summary.contains("nothing limits"))
        #expect(Shortfall(layers).summary.contains(warning))
        #expect(Shortfall(SandboxLayer.allCases).warnings.count == 2)
        #expect(!Shortfall([.root]).summary.contains("nothing") && !Shortfall([.landlock]).summary.contains("nothing"))
    }

    @Test func `a layer that the policy does not use is not missing`() throws {
        let shortfall = Shortfall([.network, .processFiles, .uts])
        #expect(try shortfall.needed(by: .shipped(named: "tool")).layers == [.network, .processFiles, .uts])
        let compute = try shortfall.needed(by: .shipped(named: "compute")).layers
        #expect(compute == [.network, .uts], "compute has no /proc")
    }

    @Test func `every layer has a price in words`() {
        let losses = SandboxLayer.allCases.map(\.loss)
        #expect(Set(losses).count == losses.count && losses.allSatisfy { $0.count > 20 })
    }
}
