import AnnexAttacks
import AnnexLaunch
import AnnexPolicy
import Glibc
import Testing

/// Each combination of layers must either be applied in full, or the launch must fail with an error.
@Suite(.timeLimit(.minutes(20))) struct LayersTests {
    static let single = SandboxLayer.allCases.map { SandboxLayers($0) }

    /// An ordinary user cannot have namespaces without a user namespace. Landlock and seccomp need no_new_privs, or a
    /// user namespace, which gives the needed capability. If both are missing, an ordinary user can have neither
    /// Landlock nor seccomp.
    static func isPossible(_ layers: SandboxLayers) -> Bool {
        if geteuid() == 0 || layers.contains(.user) { return true }
        let needsNone: SandboxLayers = [.noNewPrivileges, .landlock, .seccomp, .keyring, .speculation, .listener]
        let wantsRights = SandboxLayers.all.subtracting(needsNone)
        if !layers.together.isDisjoint(with: wantsRights) { return false }
        return layers.contains(.noNewPrivileges) || layers.isDisjoint(with: [.landlock, .seccomp])
    }

    @Test(arguments: single) func `a layer that is left out is reported as waived and the others are in force`(
        _ layer: SandboxLayers
    ) async throws {
        try await expect(SandboxLayers.all.subtracting(layer))
    }

    @Test(arguments: single) func `one layer alone is in force and all others are reported as waived`(
        _ layer: SandboxLayers
    ) async throws {
        try await expect(layer)
    }

    @Test func `a program without any layer still runs as an ordinary user`() async throws {
        try await expect([])
    }

    private func expect(_ layers: SandboxLayers) async throws {
        var script = TrialScript()
        let user = script.call("getuid")
        let outcome = try await TrialSandbox().run(script, under: Self.policy(), layers: layers)
        guard Self.isPossible(layers) else {
            #expect(outcome.end.failure != nil)
            #expect(outcome.report == nil)
            return
        }
        #expect(outcome.end.failure == nil)
        let report = try #require(outcome.report)
        // The policy shows no /proc, so the report does not have its layer.
        let kept = layers.together.subtracting(.processFiles)
        let leftOut = SandboxLayers.all.subtracting(.processFiles).subtracting(kept)
        #expect(report.waived.map(\.layer.title) == leftOut.list)
        #expect(report.layers.count == kept.list.count)
        #expect(outcome.answers.hasBegun)
        if !layers.contains(.seccomp) { #expect(outcome.answers.results[user] != 0) }
    }

    private static func policy() throws -> Policy { try .shipped(named: "com.apple.photo-editing") }
}
