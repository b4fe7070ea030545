internal import AnnexLinux
package import AnnexPolicy
internal import Synchronization

/// Resolves names for one sandbox. Several lookups run at once, and questions about a name whose lookup runs share its
/// outcome.
package final class NameResolver: Sendable {
    package typealias Looking = @Sendable (HostName) -> NameLookup.Outcome

    private struct State {
        /// Those who wait for the outcome of a lookup, by its name.
        var waiting: [HostName: [@Sendable (NameLookup.Outcome) -> Void]] = [:]
        /// The names whose lookup has not begun.
        var queue: [HostName] = []
        var workers = 0
        var isClosed = false
    }

    /// The most lookups of one sandbox that run at once, and the most that wait or run.
    static let (mostAtOnce, most) = (4, 64)

    private let look: Looking
    private let state = Mutex(State())

    /// - Parameter look: looks up one name, and may take long. Tests give a function of their own.
    package init(look: @escaping Looking = { NameLookup.look(up: $0) }) {
        self.look = look
    }

    /// Looks a name up.
    /// - Parameter done: called once with the outcome, on any thread. It must not wait.
    package func resolve(_ name: HostName, then done: @escaping @Sendable (NameLookup.Outcome) -> Void) {
        let (isTaken, mustStart) = state.withLock { state in
            if state.waiting[name] != nil {
                // A program that asks for one name without end adds nothing to wait for.
                guard state.waiting[name, default: []].count < Self.most else { return (false, false) }
                state.waiting[name]?.append(done)
                return (true, false)
            }
            guard state.waiting.count < Self.most, !state.isClosed else { return (false, false) }
            state.waiting[name] = [done]
            state.queue.append(name)
            guard state.workers < Self.mostAtOnce else { return (true, false) }
            state.workers += 1
            return (true, true)
        }
        if !isTaken { done(.failed) }
        if mustStart { startWorker() }
    }

    /// Ends the lookups that have not begun, and takes no further ones.
    package func close() {
        let lost = state.withLock { state in
            state.isClosed = true
            defer { state.queue = [] }
            return state.queue.flatMap { state.waiting.removeValue(forKey: $0) ?? [] }
        }
        for done in lost { done(.failed) }
    }

    private func startWorker() {
        do throws(SystemError) {
            _ = try WorkerThread("annex-names") { [self] in work() }
        } catch {
            let lost = state.withLock { state in
                state.workers -= 1
                // The other workers take the queue on. Without one, nobody would.
                guard state.workers == 0 else { return [(@Sendable (NameLookup.Outcome) -> Void)]() }
                defer { (state.queue, state.waiting) = ([], [:]) }
                return state.waiting.values.flatMap { $0 }
            }
            for done in lost { done(.failed) }
        }
    }

    private func work() {
        while let name = next() {
            let outcome = look(name)
            // Those who ask while others learn the outcome learn it too, and begin no further lookup.
            while let waiting = takeWaiting(for: name) { for done in waiting { done(outcome) } }
        }
    }

    /// Those who wait for a name; nil when no one does any more.
    private func takeWaiting(for name: HostName) -> [@Sendable (NameLookup.Outcome) -> Void]? {
        state.withLock { state in
            guard let waiting = state.waiting[name], !waiting.isEmpty else {
                state.waiting[name] = nil
                return nil
            }
            state.waiting[name] = []
            return waiting
        }
    }

    private func next() -> HostName? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.workers -= 1
                return nil
            }
            return state.queue.removeFirst()
        }
    }
}
