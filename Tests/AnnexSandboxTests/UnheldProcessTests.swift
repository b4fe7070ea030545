import AnnexLinux
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexLaunch

/// A host without free descriptor numbers loses the descriptors that the warden hands over. In this case, the host must
/// not get an extension, because it could not end that extension.
@Suite(.timeLimit(.minutes(20))) struct UnheldProcessTests {
    @Test func `a process whose handle was lost is ended and the error says why`() async throws {
        let child = try ChildProcess(URL(filePath: "/bin/sleep"), arguments: ["1000"])
        var pipe = try DescriptorPair.pipe().list()
        guard let output = pipe.takeFirst() else { throw SystemError("pipe2", errno: EBADF) }
        let recorder = Recorder()
        let policy = try Policy.shipped(named: "base")
        let sandboxed = try SandboxedProcess(
            scene: CallDesk.Scene(policy: policy), loop: EventLoop.shared(), output: output,
            identity: Identity(ofCaller: ()), group: nil,
            held: HeldLimits(policy.limits, group: [], sharesItsUser: true), layers: .all, begun: 0, landlockABI: 0,
            controls: [], missingLayers: [], foreignPlaces: [], keptScratch: nil, parts: PartFacts(), network: nil,
            advice: .sandbox, events: recorder.note)
        sandboxed.receive(LaunchEvent.unheld(process: child.number))
        #expect(await child.ended() == .killed(signal: SIGKILL))
        let consequence = LaunchFailure(.exec, errno: 0, remedy: nil)
        sandboxed.receive(LaunchEvent.failed(consequence, LaunchTimes(begun: 0, ends: [])))
        sandboxed.receive(
            LaunchEvent.ended(ProcessEnd.signalled(signal: SIGKILL, core: false), ResourceUsage()))
        // Another thread examines the remains of the process first.
        while recorder.ends.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        let failure = try #require(recorder.ends.first?.failure)
        #expect(failure.step == "descriptors")
        #expect(failure.cause.contains("EMFILE"))
        #expect(failure.remedy?.contains("ulimit -n") == true)
    }

    private final class Recorder: Sendable {
        private let found = Mutex<[SandboxEnd]>([])

        var ends: [SandboxEnd] { found.withLock { $0 } }

        func note(_ event: SandboxEvent) {
            if case .ended(let end) = event { found.withLock { $0.append(end) } }
        }
    }
}
