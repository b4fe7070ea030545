internal import AnnexLinux
package import AnnexTransferWire
internal import Synchronization

/// How the desk goes on after failures: of an earlier broker, of the disk, and of starts of apps.
extension TransferDesk {
    /// Finishes what an earlier broker began, unless this process has done so already. All requests of members wait for
    /// this, so that no task of this process is taken for one of the earlier broker.
    /// - Returns: what could not be finished. `settle` tries it again.
    @discardableResult
    package func recoverOnce() throws(StoreError) -> [StoreError] {
        try recovery.withLock { (isDone) throws(StoreError) in
            guard !isDone else { return [] }
            let failures = try recover()
            isDone = true
            return failures
        }
    }

    /// Goes on with the tasks that a failure left between two states.
    /// - Parameter isHeld: whether the agent has an attempt, or the mover has still to report its end.
    /// - Returns: what failed again.
    package func settle(unless isHeld: (TransferKey) -> Bool) throws(StoreError) -> [StoreError] {
        var failures: [StoreError] = []
        for (key, state) in try book.unsettled() {
            let number = Int64(clamping: key.task)
            switch state {
            case .running where isHeld(key): continue
            case .staging where beginnings.withLock({ $0.contains(number) }): continue
            default: break
            }
            do throws(StoreError) { try settle(number, from: state) } catch { failures.append(error) }
        }
        return failures
    }

    private func settle(_ number: Int64, from state: TaskState) throws(StoreError) {
        // A beginning may have ended since the task was read.
        if state == .staging {
            guard try book.task(number)?.state == .staging else { return }
        }
        let isDamaged = try book.task(number) == nil
        try recover(number)
        if isDamaged, let task = try book.task(number) { finish(task) }
    }

    // MARK: Starts of apps

    /// The starts of apps, which have a limit for each app like the URLs that a member opens.
    struct Wakings: Sendable {
        var budgets: [String: OpeningBudget] = [:]
        /// The sessions for which a decision has still to be made.
        var owed: [Int64: WakeRule.Change] = [:]

        /// Notes a change. An outcome is a stronger reason for a start than a release.
        mutating func owe(_ change: WakeRule.Change, to session: Int64) {
            owed[session] = owed[session] == .outcome ? .outcome : change
        }
    }

    /// Whether an app has still to be started, because its limit was reached or the book could not be written.
    package var owesWakes: Bool { wakings.withLock { !$0.owed.isEmpty } }

    /// Starts the app of a session if all tasks have ended and no process holds the session. If that cannot be decided
    /// now, the mover tries it again.
    func wakeOrOwe(_ session: Int64, after change: WakeRule.Change) {
        do throws(StoreError) {
            try wake(session, after: change)
        } catch {
            wakings.withLock { $0.owe(change, to: session) }
        }
        if owesWakes { mover?.look() }
    }

    /// Makes the decisions again that could not be made.
    /// - Returns: what failed again.
    package func wakeOwed() -> [StoreError] {
        var failures: [StoreError] = []
        for (session, change) in wakings.withLock({ $0.owed }) {
            do throws(StoreError) { try wake(session, after: change) } catch { failures.append(error) }
        }
        return failures
    }

    func wake(_ session: Int64, after change: WakeRule.Change) throws(StoreError) {
        guard let app = try book.session(session)?.app else {
            return wakings.withLock { $0.owed[session] = nil }
        }
        let woken = try wakings.withLock { (wakings) throws(StoreError) -> BookedSession? in
            var budget = wakings.budgets[app] ?? OpeningBudget()
            guard budget.take(at: MonotonicClock.now()) else {
                wakings.owe(change, to: session)
                return nil
            }
            let change = wakings.owed[session] == .outcome ? .outcome : change
            let woken = try book.wake(session: session, after: change, isHeld: holders.isHeld(session))
            wakings.owed[session] = nil
            guard let woken else { return nil }
            budget.finish()
            wakings.budgets[app] = budget
            return woken
        }
        if let woken { start(woken) }
    }
}
