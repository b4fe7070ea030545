package import AnnexBrokerAPI
package import AnnexModel
internal import AnnexPortalServer
internal import AnnexTransferWire

extension Broker {
    package func transfers(_ request: TransferRequest) throws(BrokerError) -> [String: ItemValue] {
        guard let transfers else {
            throw BrokerError(
                .unreachable, what: "keeps no transfers: they need annexd", place: "this broker",
                remedy: "start annexd, and connect to it")
        }
        do throws(StoreError) {
            if let answer = try transfers.desk.answer(request) { return answer }
        } catch {
            guard error.kind != .invalid else {
                throw BrokerError(.system, what: error.what, place: "transfer \(request.number)", remedy: error.remedy)
            }
            throw BrokerError(
                .system, what: "cannot be read: \(error.what)", place: "the book of transfers", remedy: error.remedy)
        }
        guard case .report = request else {
            throw BrokerError(
                .unknownVersion, what: "is no transfer of this user", place: "\(request.number)",
                remedy: "annex transfer list shows all transfers")
        }
        throw BrokerError(
            .unknownVersion, what: "is not known, or is older than 24 hours", place: "the receipt")
    }
}

extension TransferDesk {
    private static let mostOfPage = 64
    /// The most bytes of a URL in a list.
    private static let shortURL = 200

    /// - Returns: nil if there is no such task or receipt.
    /// - Throws: `invalid` if the task cannot be cancelled now.
    func answer(_ request: TransferRequest) throws(StoreError) -> [String: ItemValue]? {
        switch request {
        case .list(let last):
            var values: [ItemValue] = []
            for task in try book.tasks(after: Int64(clamping: last), atMost: Self.mostOfPage) {
                var value = try described(task)
                value["url"] = .string(String(task.job.url.prefix(Self.shortURL)))
                values.append(.dictionary(value))
            }
            return ["transfers": .list(values)]
        case .report(let receipt): return try report(of: receipt)?.values
        case .show(let number), .cancel(let number), .retry(let number):
            guard let task = try book.task(Int64(clamping: number)) else { return nil }
            if case .cancel = request { try cancel(task) }
            if case .retry = request { _ = try retry(task) }
            guard let now = try book.task(task.number) else { return nil }
            var value = try described(now)
            value["files"] = .list(now.files.map { .string($0) })
            return value
        }
    }

    private func cancel(_ task: BookedTask) throws(StoreError) {
        guard try !end(task, as: .cancelled), let state = try book.task(task.number)?.state else { return }
        switch state {
        case .staging:
            throw StoreError(
                .invalid, what: "its files are still being taken over",
                remedy: "cancel it again when it is listed as queued")
        case .placing:
            throw StoreError(
                .invalid, what: "its file is whole, and goes to its place: it cannot be cancelled any more",
                remedy: "remove the file")
        case .queued, .running, .suspended, .ended: break
        }
    }

    private func described(_ task: BookedTask) throws(StoreError) -> [String: ItemValue] {
        let session = try book.session(task.session)
        var value = task.report(after: progress(of: task)).values
        value["number"] = .integer(task.number)
        value["session"] = .string(session?.identifier ?? "")
        value["group"] = .string(session?.group.identifier ?? "")
        value["app"] = .string(session?.app ?? "")
        value["member"] = .string(task.member)
        value["kind"] = .string(task.job.work.isDownload ? "download" : "upload")
        value["state"] = .string("\(task.state)")
        value["url"] = .string(task.job.url)
        value["attempts"] = .integer(Int64(task.key.attempt))
        if task.state == .queued, task.due > .now() { value["due"] = .string(task.due.text) }
        if task.state != .ended { value["expires"] = .string(task.expires.text) }
        value["failure"] = task.outcome?.failure.map { .string($0) }
        value["lastFailure"] = task.lastFailure.map { .string($0) }
        value["status"] = (task.outcome?.answer?.status).map { .integer(Int64($0)) }
        return value
    }
}
