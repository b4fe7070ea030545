import AnnexLinux
import Synchronization

@testable import AnnexChannel

/// Tasks that wait without limit: for the hello, and for an answer that never comes.
final class PatientTasks: Sendable {
    private let ends = Mutex<[String]>([])
    private let changed = Parker()

    init(_ host: HostEndpoint) {
        Task { [self] in
            do throws(CallFailure) {
                _ = try await host.untilHello()
                end("hello")
            } catch {
                end(Verdicts.name(of: error))
            }
        }
        Task { [self] in
            do throws(CallFailure) {
                _ = try await host.call(Request(method: 7))
                end("an answer that was never given")
            } catch {
                end(Verdicts.name(of: error))
            }
        }
    }

    /// The outcomes of both tasks, after both have ended.
    func wait() -> Set<String> {
        while ends.withLock({ $0.count }) < 2 { changed.park(until: nil) }
        return Set(ends.withLock { $0 })
    }

    private func end(_ how: String) {
        ends.withLock { $0.append(how) }
        changed.unpark()
    }
}
