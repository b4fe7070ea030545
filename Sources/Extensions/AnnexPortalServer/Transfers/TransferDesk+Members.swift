package import AnnexLinux
internal import AnnexPortal
package import AnnexTransferWire
internal import Synchronization

/// What members and users do with tasks.
extension TransferDesk {
    /// Pauses a task. The bytes of a download that have arrived stay.
    package func suspend(_ task: BookedTask) throws(StoreError) {
        guard try book.change(task.number, after: .suspended) else { return }
        step(.returned)
        mover?.stop(task.key, as: .suspend)
        holders.tell(task.session)
    }

    package func resume(_ task: BookedTask) throws(StoreError) {
        guard try book.change(task.number, after: .resumed) else { return }
        step(.returned)
        holders.tell(task.session)
        mover?.look()
    }

    /// Begins the next attempt of a waiting task now.
    /// - Returns: false if the task does not wait for an attempt.
    package func retry(_ task: BookedTask) throws(StoreError) -> Bool {
        guard try book.hurry(task.number) else { return false }
        mover?.look()
        return true
    }

    /// Takes note of outcomes.
    /// - Parameter isLast: whether the app has finished its work on the session's outcomes.
    package func note(_ tasks: [Int64], of session: Int64, isLast: Bool = false) throws(StoreError) {
        try book.note(tasks, of: session, isLast: isLast)
        step(.noted)
        if !holders.isHeld(session) { try book.removeIfEmpty(session: session) }
    }

    /// Ends the tasks that are not allowed any more, and forgets the sessions of apps that were removed.
    /// - Throws: the first failure, after all other tasks and sessions were reviewed.
    package func review(
        isRemoved: (String) -> Bool = { _ in false }, _ isAllowed: (BookedSession, BookedTask) -> Bool
    ) throws(StoreError) {
        var failure: StoreError?
        for session in try book.sessions() {
            do throws(StoreError) {
                if isRemoved(session.app) { try forget(session) } else { try revoke(in: session, unless: isAllowed) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private func revoke(
        in session: BookedSession, unless isAllowed: (BookedSession, BookedTask) -> Bool
    ) throws(StoreError) {
        var failure: StoreError?
        for task in try book.tasks(of: session.number) where task.state != .ended && !isAllowed(session, task) {
            do throws(StoreError) { try end(task, as: .revoked) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Ends a session whose app is gone, with its outcomes and files. No process can take note of them any more.
    private func forget(_ session: BookedSession) throws(StoreError) {
        for task in try book.tasks(of: session.number) {
            if try book.end(task.number, with: TaskOutcome(.revoked), after: progress(of: task)) {
                step(.ended)
                mover?.stop(task.key, as: .cancel)
            }
            guard try book.task(task.number)?.state == .ended else { continue }
            moved.withLock { $0[task.number] = nil }
            try staging(of: task)?.remove()
            step(.removed)
            try book.note([task.number], of: session.number)
            step(.noted)
        }
        try book.removeIfEmpty(session: session.number)
        holders.tell(session.number)
    }

    /// Ends the tasks whose time is over.
    /// - Returns: when the next task ends in this way; nil if there is no task.
    /// - Throws: the first failure, after all other tasks were ended.
    package func expire(at now: WallClock) throws(StoreError) -> WallClock? {
        let (over, next) = try book.expired(at: now)
        var failure: StoreError?
        for number in over {
            do throws(StoreError) {
                if let task = try book.task(number) { try end(task, as: .expired) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return next
    }

    /// The answer of an attempt at a download has begun. From then on, no more room is promised than the file needs.
    package func answered(_ response: TransferResponse) throws(StoreError) {
        try book.setValidator(response.validator, of: response.key, resets: true, size: response.expected ?? 0)
        // A download of the group may have waited for the room.
        mover?.look()
    }

    /// Puts a task back that the agent does not have any more.
    package func giveBack(_ key: TransferKey, after pause: Duration) throws(StoreError) {
        let (seconds, rest) = pause.components
        let later = WallClock.now().microseconds &+ seconds * 1_000_000 &+ rest / 1_000_000_000_000
        try book.giveBack(key, until: WallClock(microseconds: later), failed: false)
        step(.returned)
    }

    /// Gives a queued task to the agent.
    /// - Returns: nil if the task is not queued any more, or if the room of its group is promised to other downloads.
    package func take(_ task: BookedTask, boot: String) throws(StoreError) -> BookedTask? {
        guard let promised = try promise(to: task) else { return nil }
        let taken = try book.take(task.number, boot: boot, promising: promised)
        step(.given)
        return taken
    }
}
