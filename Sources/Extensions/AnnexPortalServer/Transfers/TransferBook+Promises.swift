/// A download that runs, or that waits for its next attempt.
struct LiveDownload: Sendable, Hashable {
    let task: Int64
    /// The identifier of the task's session.
    let session: String
    /// The most bytes that the file may have in this attempt; 0 if the download does not run.
    let promised: UInt64
}

extension TransferBook {
    /// The downloads of a group that run, or that wait for an attempt. The book keeps what is promised to them, so it
    /// holds after a restart of the broker too. A promise ends when its task does not run any more.
    /// - Parameter task: a task that is left out.
    func downloads(of group: GroupKey, besides task: Int64) throws(StoreError) -> [LiveDownload] {
        try read { (database) throws(StoreError) in
            var found: [LiveDownload] = []
            try database.run(
                """
                SELECT task.number, session.identifier, iif(task.state = ?1, task.promised, 0) FROM task
                JOIN session ON session.number = task.session
                WHERE task.state IN (?1, ?2) AND task.download = 1 AND task.number != ?3
                    AND session.team = ?4 AND session.grp = ?5
                """,
                with: [
                    .number(TaskState.running.rawValue), .number(TaskState.queued.rawValue), .number(task),
                    .text(group.team), .text(group.identifier),
                ]
            ) { found.append(LiveDownload(task: $0.number(0), session: $0.text(1), promised: $0.count(2))) }
            return found
        }
    }
}
