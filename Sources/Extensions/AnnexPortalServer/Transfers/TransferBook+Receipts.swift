internal import AnnexLinux
package import AnnexModel
internal import AnnexTransferWire

extension TransferBook {
    private static let mostOfTask: Int64 = 4
    private static let mostOfApp: Int64 = 512
    private static let most: Int64 = 4096
    private static let lifetime: Int64 = 24 * 3600 * 1_000_000

    /// Stores a new receipt for a task.
    /// - Throws: `full` if the task, its app or the book has too many receipts that are still good.
    package func addReceipt(for task: BookedTask) throws(StoreError) -> TransferReceipt {
        guard let receipt = TransferReceipt.random() else { throw StoreError(.system, what: "no random number") }
        let now = WallClock.now().microseconds
        try transact { (database) throws(StoreError) in
            try database.run("DELETE FROM receipt WHERE expires <= ?1", with: [.number(now)])
            let app = try Self.checkReceipts(of: task, in: &database)
            try database.run(
                "INSERT INTO receipt (token, task, app, expires) VALUES (?1, ?2, ?3, ?4)",
                with: [
                    .text(receipt.text), .number(task.number), .text(app), .number(now &+ Self.lifetime),
                ])
        }
        return receipt
    }

    /// - Returns: the app of the task.
    private static func checkReceipts(of task: BookedTask, in database: inout Database) throws(StoreError) -> String {
        var app = ""
        try database.run("SELECT app FROM session WHERE number = ?1", with: [.number(task.session)]) { row in
            app = row.text(0)
        }
        let ofTask = try database.number("SELECT count(*) FROM receipt WHERE task = ?1", with: [.number(task.number)])
        guard ofTask ?? 0 < mostOfTask else {
            throw StoreError(
                .full, what: "the task has \(mostOfTask) receipts", remedy: "give one of them to several hosts")
        }
        let ofApp = try database.number("SELECT count(*) FROM receipt WHERE app = ?1", with: [.text(app)])
        guard ofApp ?? 0 < mostOfApp, try database.number("SELECT count(*) FROM receipt") ?? 0 < most else {
            throw StoreError(
                .full, what: "there are \(mostOfApp) receipts of the app, or \(most) of all apps",
                remedy: "try again tomorrow")
        }
        return app
    }

    /// The task of a receipt, or the last report about it after its row has gone; nil if the receipt is not good.
    func task(of receipt: TransferReceipt) throws(StoreError) -> (task: BookedTask?, last: TransferReport?)? {
        let row = try read { (database) throws(StoreError) in
            var found: (task: Int64, last: TransferReport?)?
            try database.run(
                "SELECT task, outcome, sent, received, expected FROM receipt WHERE token = ?1 AND expires > ?2",
                with: [.text(receipt.text), .number(WallClock.now().microseconds)]
            ) { row in
                let outcome = row.isNull(1) ? nil : TransferReport.Outcome(rawValue: row.text(1))
                let last = outcome.map { outcome in
                    TransferReport(
                        outcome: outcome, sent: row.count(2), received: row.count(3),
                        expected: row.isNull(4) ? nil : row.count(4))
                }
                found = (row.number(0), last)
            }
            return found
        }
        guard let row else { return nil }
        return (try task(row.task), row.last)
    }

    /// Keeps the last report about a task, whose row is about to go.
    func closeReceipts(of task: BookedTask, with report: TransferReport, in database: inout Database) throws(StoreError)
    {
        try database.run(
            "UPDATE receipt SET outcome = ?2, sent = ?3, received = ?4, expected = ?5 WHERE task = ?1",
            with: [
                .number(task.number), .text(report.outcome.rawValue), .number(Int64(clamping: report.sent)),
                .number(Int64(clamping: report.received)),
                report.expected.map { .number(Int64(clamping: $0)) } ?? .null,
            ])
    }
}

extension BookedTask {
    /// What a host may know about the task.
    package func report(after progress: TaskProgress) -> TransferReport {
        let status = outcome?.answer?.status ?? 0
        let outcome: TransferReport.Outcome =
            switch (state, self.outcome?.failure) {
            case (.ended, nil): (200...299).contains(status) ? .done : .failed
            case (.ended, TaskFailure.cancelled.rawValue): .cancelled
            case (.ended, _): .failed
            default: .underWay
            }
        return TransferReport(
            outcome: outcome, sent: progress.sent, received: progress.received, expected: progress.expected)
    }
}

extension TransferDesk {
    /// What a host may know about the task of a receipt; nil if the receipt is not good.
    package func report(of receipt: TransferReceipt) throws(StoreError) -> TransferReport? {
        guard let found = try book.task(of: receipt) else { return nil }
        if let task = found.task { return task.report(after: progress(of: task)) }
        return found.last
    }
}
