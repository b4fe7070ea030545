import AnnexLinux
import Synchronization
import Testing

@testable import AnnexLaunch
@testable import AnnexSupervision

@Suite struct WaitingInputTests {
    /// A process without a sandbox. While it performs an effect, an input arrives, which must wait.
    private final class Slow: SupervisedProcess {
        let supervision: Supervision
        let seen = Mutex<[Lifecycle.State]>([])

        init() throws {
            supervision = Supervision(of: .extension, limits: .example(), on: try EventLoop.shared())
        }

        func note(_ event: SandboxEvent) {}

        func perform(_ effect: Lifecycle.Effect) {
            guard seen.withLock({ $0.isEmpty }) else { return }
            look()
            end(for: .disabled)
            look()
        }

        private func look() {
            let state = supervision.withLife { $0.state }
            seen.withLock { $0.append(state) }
        }
    }

    @Test func `a life that is looked at has taken the inputs that wait for another thread`() throws {
        let process = try Slow()
        process.apply(.asked)
        let seen = process.seen.withLock { $0 }
        #expect(seen.first == .waiting && seen.last != .waiting, "\(seen)")
        #expect(process.supervision.withLife { $0.state } == seen.last, "\(seen)")
    }
}
