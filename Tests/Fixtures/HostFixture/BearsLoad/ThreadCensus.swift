import AnnexTestSupport
import Foundation
import Synchronization

/// Looks again and again which threads this process has whose names begin with `annex-`.
final class ThreadCensus: Sendable {
    private let names = Mutex<Set<String>>([])
    private let isOver = Atomic(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    init() {
        Thread.detachNewThread { [self] in
            while !isOver.load(ordering: .relaxed) {
                look()
                usleep(1000)
            }
            hasEnded.signal()
        }
    }

    private func look() {
        let found = ProcText.names(in: "/proc/self/task").compactMap {
            ProcText.lines(of: "/proc/self/task/\($0)/comm").first
        }
        names.withLock { $0.formUnion(found.filter { $0.hasPrefix("annex-") }) }
    }

    /// - Returns: all names that were seen.
    func finish() -> String {
        isOver.store(true, ordering: .relaxed)
        hasEnded.wait()
        return names.withLock { $0.sorted().joined(separator: ", ") }
    }
}
