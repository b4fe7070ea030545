import AnnexPolicy
import Glibc
import Testing

@testable import AnnexLaunch

/// A host may waive a layer. The launch still uses the layer if the machine provides it, and omits the layer
/// otherwise.
@Suite(.timeLimit(.minutes(20))) struct WaiverTests {
    @Test func `a waived layer that the machine gives is used`() throws {
        let launcher = try Launcher.start(waiving: [.landlock, .keyring])
        defer { launcher.shutDown() }
        #expect(launcher.missingLayers.isEmpty && launcher.gives(.landlock) && launcher.gives(.keyring))
    }

    @Test func `the names of the layers and the bits of the warden have one order`() {
        for layer in SandboxLayer.allCases {
            #expect(SandboxLayers(layer).list == [layer.title])
        }
    }

    @Test func `a trial reports the step that failed and not the fault that proves it`() throws {
        let fixture = try WardenFixture()
        let trial = LayerTrial(warden: fixture.warden, landlock: try LandlockVersion.ofKernel())
        #expect(trial.missingLayers(among: []).isEmpty)
        #expect(trial.missingLayers(among: Set(SandboxLayer.allCases)).isEmpty)
        // The ruleset has rights that no kernel knows. So only the trial of this layer fails, at its own step.
        let beyond = LayerTrial(warden: fixture.warden, landlock: LandlockVersion(abi: 1), rights: 1 << 63)
        let missingLayers = beyond.missingLayers(among: [.landlock, .seccomp])
        #expect(missingLayers.map(\.layer) == [.landlock])
        #expect(missingLayers.first?.failure.step == .landlock && missingLayers.first?.failure.errno == EINVAL)
    }

    @Test func `each reader is told the means that this reader has`() {
        let layers: [SandboxLayer] = [.processFiles, .noNewPrivileges]
        let run = LayerAdvice.sandbox.remedy("mend it", doingWithout: layers)
        #expect(run?.hasPrefix("mend it; or waive the layers `proc`, `no-new-privileges`, ") == true, "\(run ?? "")")
        let host = LayerAdvice.embedding.remedy(nil, doingWithout: layers)
        #expect(host?.hasPrefix("start the host with `waiving: [.processFiles, .noNewPrivileges]`") == true)
        let daemon = LayerAdvice.daemon.remedy("mend it", doingWithout: layers)
        #expect(daemon?.contains("administrator") == true && daemon?.contains("annexd leaves out no layer") == true)
        for advice in [LayerAdvice.sandbox, .embedding, .daemon] {
            #expect(advice.remedy("mend it", doingWithout: layers)?.contains("--waive") == false)
            #expect(advice.remedy("mend it", doingWithout: []) == "mend it")
        }
    }

    @Test(arguments: [EPERM, ENOSYS, ENOSPC]) func `without namespaces all layers that go with them are named at once`(
        number: Int32
    ) {
        let layers = LaunchFailure.dispensable(.clone, errno: number, detail: 0)
        for layer in [SandboxLayer.user, .mount, .pid, .root, .time, .processFiles, .capabilities] {
            #expect(layers.contains(layer))
        }
        #expect(!layers.contains(.landlock) && !layers.contains(.seccomp))
        #expect(LaunchFailure.dispensable(.clone, errno: EAGAIN, detail: 0).isEmpty)
    }
}
