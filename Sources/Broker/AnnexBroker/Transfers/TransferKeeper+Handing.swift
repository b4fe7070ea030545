internal import AnnexLinux
internal import AnnexPortalServer
internal import AnnexTransferWire
internal import Synchronization

/// How tasks come to the agent.
extension TransferKeeper {
    func hand(_ tasks: [WaitingTask]) throws(StoreError) {
        let held = state.withLock { $0.held }
        let ready = tasks.filter { held[UInt64(clamping: $0.number)] == nil }
        guard !ready.isEmpty else { return }
        let sessions = try desk.book.sessions()
        let groups = Dictionary(sessions.map { ($0.number, $0.group) }) { $1 }
        var turns = TransferTurns(sessions, held: held.values.map(\.session))
        // The groups in which a download waits for room. Its later downloads wait behind it: each look at the room counts
        // the files of the group.
        var crowded: Set<GroupKey> = []
        for task in turns.order(ready) where turns.hasRoom(for: task) {
            // A task that cannot be handed over now must not stop the others. If the book says that the agent has it, the
            // next look settles that. A download that waits for room does not take the place of a further task.
            do throws(StoreError) {
                guard let booked = try desk.book.task(task.number) else { continue }
                let group = booked.job.work.isDownload ? groups[task.session] : nil
                if let group, crowded.contains(group) { continue }
                guard let agent = agent() else { return }
                if try !hand(booked, to: agent), let group { crowded.insert(group) }
                if state.withLock({ $0.held[UInt64(clamping: task.number)] != nil }) { turns.take(task) }
            } catch {
                report(error)
            }
        }
    }

    /// - Returns: false if the task waits for room, or does not wait any more.
    private func hand(_ task: BookedTask, to agent: AgentLink) throws(StoreError) -> Bool {
        guard let taken = try desk.take(task, boot: TransferBoot.identifier) else { return false }
        let order: PreparedJob
        do throws(SystemError) {
            order = try PreparedJob(taken, at: desk, until: taken.expires)
        } catch {
            if PreparedJob.isLoss(error, of: taken) {
                try desk.end(taken, as: .bodyLost)
            } else {
                try desk.giveBack(taken.key, after: Self.retry)
                report(StoreError(.system, what: "the files of task \(taken.number) cannot be opened: \(error.cause)"))
            }
            return true
        }
        state.withLock { $0.held[taken.key.task] = taken }
        do throws(StoreError) {
            try send(order, of: taken, to: agent)
        } catch {
            drop(taken.key)
            tell(agent, to: .suspend, of: taken.key)
            throw error
        }
        return true
    }

    /// The task may end or be suspended at any moment. Before the order is sent, the book is asked. Afterwards `stop` tells
    /// the agent, because the task is held. An end between the two is found when the book is asked again.
    private func send(
        _ order: borrowing PreparedJob, of taken: BookedTask, to agent: AgentLink
    ) throws(StoreError) {
        let before = try desk.book.task(taken.number)
        guard before?.isRunning(taken.key) == true else {
            drop(taken.key)
            // A file that was made after the end of the task is removed here. The files of a task that goes on stay.
            if before == nil || before?.state == .ended { try desk.staging(of: taken)?.remove() }
            return
        }
        guard agent.send(.start(order.job), with: order.files) else {
            drop(taken.key)
            try desk.giveBack(taken.key, after: .milliseconds(200))
            return schedule(after: .milliseconds(200))
        }
        let after = try desk.book.task(taken.number)
        guard after?.isRunning(taken.key) != true else { return }
        let isPaused = after?.state == .suspended || after?.state == .queued
        tell(agent, to: isPaused ? .suspend : .cancel, of: taken.key)
    }

    private func drop(_ key: TransferKey) { state.withLock { $0.forget(key) } }

    // MARK: The agent

    /// The running agent. If none runs, the call starts one.
    /// - Returns: nil if none can be started now. The keeper then tries it again later.
    private func agent() -> AgentLink? {
        let (running, earliest) = state.withLock { ($0.agent, $0.earliest) }
        if let running { return running }
        let wait = MonotonicClock.remaining(until: earliest)
        guard wait == 0 else {
            schedule(after: .nanoseconds(Int64(clamping: wait)))
            return nil
        }
        do throws(AgentStartFailure) {
            let link = try AgentLink.start(starter, row: row) { [weak self] link, event in
                self?.handle(event, of: link)
            }
            let isOver = state.withLock { state in
                if !state.isOver { state.agent = link }
                return state.isOver
            }
            guard isOver else { return link }
            link.end(nil)
        } catch {
            failed("the agent of transfers cannot be started: \(error.cause)", remedy: error.remedy)
        }
        return nil
    }
}

extension BookedTask {
    /// Whether the agent works on this attempt.
    fileprivate func isRunning(_ key: TransferKey) -> Bool { state == .running && self.key == key }
}
