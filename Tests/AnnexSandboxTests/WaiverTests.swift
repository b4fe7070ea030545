import AnnexPolicy
import Glibc
import Testing

@testable import AnnexSandbox

/// A layer that a host does without is left out only where the machine cannot give it.
@Suite(.timeLimit(.minutes(20))) struct WaiverTests {
    @Test func `a layer that is there is used, though it was named as dispensable`() throws {
        let launcher = try Launcher.start(waiving: [.landlock, .keyring])
        defer { launcher.shutDown() }
        #expect(launcher.lacks.isEmpty && launcher.gives(.landlock) && launcher.gives(.keyring))
    }

    @Test func `the layers' words and the warden's bits are in one order`() {
        for layer in SandboxLayer.allCases {
            #expect(SandboxLayers(layer).list == [layer.title])
        }
    }

    @Test func `a trial reports the step that failed, not the fault that proves the steps before it`() throws {
        let ground = try Ground()
        let trial = LayerTrial(warden: ground.warden, landlock: try LandlockVersion.ofKernel())
        #expect(trial.lacks(among: []).isEmpty)
        #expect(trial.lacks(among: Set(SandboxLayer.allCases)).isEmpty)
        // A ruleset with rights that no kernel knows: the trial of this layer alone fails, at its own step.
        let beyond = LayerTrial(warden: ground.warden, landlock: LandlockVersion(abi: 1), rights: 1 << 63)
        let lacks = beyond.lacks(among: [.landlock, .seccomp])
        #expect(lacks.map(\.layer) == [.landlock])
        #expect(lacks.first?.failure.step == .landlock && lacks.first?.failure.errno == EINVAL)
    }
}
