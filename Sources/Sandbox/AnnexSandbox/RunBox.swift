internal import AnnexLaunch
internal import Synchronization

/// Holds a run's report for the one task that waits for it.
final class RunBox: Sendable {
    private enum State {
        case nobody
        case waiting(CheckedContinuation<SandboxRunReport, Never>)
        case ended(SandboxRunReport)
    }

    private let state = Mutex(State.nobody)

    func end(_ report: SandboxRunReport) {
        let waiting = state.withLock { state -> CheckedContinuation<SandboxRunReport, Never>? in
            if case .waiting(let continuation) = state { return continuation }
            state = .ended(report)
            return nil
        }
        waiting?.resume(returning: report)
    }

    func report() async -> SandboxRunReport {
        await withCheckedContinuation { continuation in
            let report = state.withLock { state -> SandboxRunReport? in
                if case .ended(let report) = state { return report }
                state = .waiting(continuation)
                return nil
            }
            if let report { continuation.resume(returning: report) }
        }
    }
}
