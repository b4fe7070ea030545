package import AnnexLinux
internal import AnnexMessages
internal import AnnexPortal
package import AnnexTransferWire

/// A background session as the book describes it.
package struct BookedSession: Sendable, Hashable {
    package let number: Int64
    package let group: GroupKey
    /// The identifier that the members gave to the session, unique in the group.
    package let identifier: String
    /// The containing app, which the broker starts when all tasks of the session have ended.
    package let app: String
    /// How long a task may take in all, in seconds.
    package let seconds: UInt32
    package let isDiscretionary: Bool
}

/// A task as the book describes it.
package struct BookedTask: Sendable, Hashable {
    package let number: Int64
    package let session: Int64
    package let state: TaskState
    /// The bundle identifier of the extension or app that began the task.
    package let member: String
    /// What the agent gets. The key states the number of the last attempt.
    package let job: TransferJob
    /// Paths in the group's container: where the files of an upload came from, or where the file of a download goes.
    package let files: [String]
    /// How many attempts have failed one after another.
    package let failures: Int64
    /// The earliest time of the next attempt.
    package let due: WallClock
    /// When the task ends without an outcome of the server.
    package let expires: WallClock
    /// The start of the machine in which the last attempt began.
    package let boot: String
    /// What the received bytes of a download belong to.
    package let validator: TransferValidator?
    package let progress: TaskProgress
    package let outcome: TaskOutcome?
    /// Why the last attempt failed, if the task goes on.
    package let lastFailure: String?
    /// The most bytes that the file of a download may have in this attempt.
    package let promised: UInt64
    /// The size of the whole file of a download, as far as an attempt has shown it; 0 if none has.
    package let needed: UInt64

    package var key: TransferKey { job.key }
}

/// How many bytes of a task have moved.
package struct TaskProgress: Sendable, Hashable {
    package var sent: UInt64 = 0
    package var received: UInt64 = 0
    /// The size of the whole body that is sent or received; nil if it is not known.
    package var expected: UInt64?

    package init(sent: UInt64 = 0, received: UInt64 = 0, expected: UInt64? = nil) {
        self.sent = sent
        self.received = received
        self.expected = expected
    }
}

/// What a look at a session needs of a task.
package struct TaskSummary: Sendable, Hashable {
    package let number: Int64
    package let state: TaskState
    package let isDownload: Bool
    /// How far the task had come when the book was written the last time.
    package let progress: TaskProgress
}

extension BookedSession {
    /// - Parameter row: all columns in the order of the table.
    init(_ row: borrowing SQLRow) {
        number = row.number(0)
        group = GroupKey(team: row.text(1), identifier: row.text(2))
        identifier = row.text(3)
        app = row.text(4)
        seconds = UInt32(clamping: row.number(5))
        isDiscretionary = row.number(6) != 0
    }
}

/// A row of the table `task`, before its messages are decoded.
struct TaskRow {
    let number: Int64
    private let session, state, attempt, failures, due, expires: Int64
    private let promised, needed: UInt64
    private let member, boot: String
    private let job, files: [UInt8]
    private let validator, answer: [UInt8]?
    private let failure: String?
    private let progress: TaskProgress

    /// - Parameter row: all columns in the order of the table.
    init(_ row: borrowing SQLRow) {
        (number, session, state) = (row.number(0), row.number(1), row.number(2))
        (member, job, files) = (row.text(3), row.bytes(4), row.bytes(5))
        (attempt, failures, due, expires) = (row.number(6), row.number(7), row.number(8), row.number(9))
        boot = row.text(10)
        validator = row.isNull(11) ? nil : row.bytes(11)
        progress = TaskProgress(
            sent: row.count(12), received: row.count(13), expected: row.isNull(14) ? nil : row.count(14))
        failure = row.isNull(15) ? nil : row.text(15)
        answer = row.isNull(16) ? nil : row.bytes(16)
        (promised, needed) = (row.count(17), row.count(18))
    }

    /// - Throws: `damaged` if the row was not written by this version of Annex.
    func task(in path: String) throws(StoreError) -> BookedTask {
        do throws(DecodingFailure) {
            guard let state = TaskState(rawValue: state) else { throw DecodingFailure.unknownState }
            let stored = try TransferJob(decoding: job, within: TransferLimits.message)
            let answer = try answer.map { (bytes) throws(DecodingFailure) in
                try TransferAnswer(decoding: bytes, within: TransferLimits.message)
            }
            return BookedTask(
                number: number, session: session, state: state, member: member,
                job: stored.attempt(UInt32(clamping: attempt), of: number),
                files: try NameList(decoding: files, within: TransferLimits.message).names, failures: failures,
                due: WallClock(microseconds: due), expires: WallClock(microseconds: expires), boot: boot,
                validator: try validator.map { (bytes) throws(DecodingFailure) in
                    try TransferValidator(decoding: bytes, within: TransferLimits.message)
                }, progress: progress,
                outcome: state == .ended ? TaskOutcome(failure, answer: answer) : nil,
                lastFailure: state == .ended ? nil : failure, promised: promised, needed: needed)
        } catch {
            throw StoreError(
                .damaged, what: "the task \(number) in the book cannot be read: \(error)", place: path,
                remedy: StoreError.damageRemedy)
        }
    }
}

extension DecodingFailure {
    fileprivate static let unknownState = DecodingFailure(offset: 0, reason: .rejected("is no state of a task"))
}

extension TransferJob {
    /// The same job as one attempt of a task.
    package func attempt(_ attempt: UInt32, of task: Int64) -> TransferJob {
        with(key: TransferKey(task: UInt64(clamping: task), attempt: attempt), work: work)
    }

    /// The same job with other work, for example with the sizes of the files.
    package func with(_ work: TransferWork) -> TransferJob { with(key: key, work: work) }

    /// The same job with other time limits.
    package func within(_ patience: TransferPatience) -> TransferJob {
        TransferJob(
            key: key, method: method, url: url, headers: headers, patience: patience,
            isDiscretionary: isDiscretionary, work: work)
    }

    private func with(key: TransferKey, work: TransferWork) -> TransferJob {
        TransferJob(
            key: key, method: method, url: url, headers: headers, patience: patience,
            isDiscretionary: isDiscretionary, work: work)
    }
}
