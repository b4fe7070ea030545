package import AnnexMessages
package import AnnexTransferWire

/// The requests of a group's member, an extension or app, about background transfers. A background session is a set of
/// uploads and downloads, which are its tasks. The broker sends news without a body: a session of the group that the
/// member holds has changed.
package enum BackgroundMethod {
    /// The request carries `SessionOpening`, and the answer a `SessionState`. From then on the member holds the session.
    package static let open = PortalMethod(.transfers, number: 1)
    /// The request carries `TaskOpening`, and the answer a `TaskReference`. Before the broker answers, it has taken over
    /// the files of an upload.
    package static let begin = PortalMethod(.transfers, number: 2)
    /// These four requests carry `TaskReference`. The answers have no body.
    package static let cancel = PortalMethod(.transfers, number: 3)
    package static let suspend = PortalMethod(.transfers, number: 4)
    package static let resume = PortalMethod(.transfers, number: 5)
    package static let retry = PortalMethod(.transfers, number: 6)
    /// The request carries `SessionName`, and the answer a `SessionState`.
    package static let look = PortalMethod(.transfers, number: 7)
    /// The request carries `TaskReference`, and the answer a `TaskDescription`.
    package static let describe = PortalMethod(.transfers, number: 8)
    /// The request carries `NotedTasks`: the member knows these outcomes, and the broker forgets them.
    package static let note = PortalMethod(.transfers, number: 9)
    /// The request carries `NotedTasks`: the app knows these outcomes, and the broker forgets how often it started the
    /// app.
    package static let finishEvents = PortalMethod(.transfers, number: 10)
    /// The request carries `SessionName`. The member holds the session no longer, and its tasks go on.
    package static let close = PortalMethod(.transfers, number: 11)
    /// The answer is a `NameList`: the identifiers of the group's sessions that belong to the member's app.
    package static let sessions = PortalMethod(.transfers, number: 12)
    /// The request carries `TaskReference`. The answer is a `NameList` with one receipt, by which a host learns of the
    /// task's progress.
    package static let receipt = PortalMethod(.transfers, number: 13)

    /// The limits of all bodies.
    package static let limits = TransferLimits.message
}

/// The session that a member wants to hold.
package struct SessionOpening: Message, Hashable {
    package let identifier: String
    /// How long a task may take in all, in seconds.
    package let seconds: UInt32
    /// Whether the tasks begin only when no other task waits.
    package let isDiscretionary: Bool

    package init(identifier: String, seconds: UInt32, isDiscretionary: Bool) {
        self.identifier = identifier
        self.seconds = seconds
        self.isDiscretionary = isDiscretionary
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(identifier, as: 1)
        encoder.encode(seconds, as: 2)
        encoder.encode(isDiscretionary, as: 3)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        identifier = try decoder.decode(1)
        seconds = try decoder.decode(2)
        isDiscretionary = try decoder.decode(3)
        guard (1...TransferLimits.longestSeconds).contains(seconds) else {
            throw decoder.failure(2, reason: .rejected("is no time limit of at most seven days"))
        }
    }
}

/// The identifier of a session.
package struct SessionName: Message, Hashable {
    package let identifier: String

    package init(identifier: String) { self.identifier = identifier }

    package func encode(into encoder: inout MessageEncoder) { encoder.encode(identifier, as: 1) }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) { identifier = try decoder.decode(1) }
}

/// A task to begin.
package struct TaskOpening: Message, Hashable {
    package let session: String
    /// The task. The key and the sizes of files are without meaning: the broker chooses them.
    package let job: TransferJob
    /// Paths in the container: those of an upload's files in the order of the parts, or the one of a download.
    package let files: [String]

    package init(session: String, job: TransferJob, files: [String]) {
        self.session = session
        self.job = job
        self.files = files
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(session, as: 1)
        encoder.encode(job, as: 2)
        encoder.encode(list: files, as: 3)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        session = try decoder.decode(1)
        job = try decoder.decode(2)
        files = try decoder.decodeList(3)
        guard files.count == job.work.descriptors else {
            throw decoder.failure(3, reason: .rejected("is not one path for each file"))
        }
    }
}

/// A task of a session.
package struct TaskReference: Message, Hashable {
    package let session: String
    package let task: UInt64

    package init(session: String, task: UInt64) {
        self.session = session
        self.task = task
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(session, as: 1)
        encoder.encode(task, as: 2)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        session = try decoder.decode(1)
        task = try decoder.decode(2)
    }
}

/// Outcomes that a member knows.
package struct NotedTasks: Message, Hashable {
    package let session: String
    package let tasks: [UInt64]

    package init(session: String, tasks: [UInt64]) {
        self.session = session
        self.tasks = tasks
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(session, as: 1)
        encoder.encode(list: tasks, as: 2)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        session = try decoder.decode(1)
        tasks = try decoder.decodeList(2)
    }
}

/// All tasks of a session.
package struct SessionState: Message, Hashable {
    package let tasks: [TaskStatus]

    package init(tasks: [TaskStatus]) { self.tasks = tasks }

    package func encode(into encoder: inout MessageEncoder) { encoder.encode(list: tasks, as: 1) }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) { tasks = try decoder.decodeList(1) }
}

/// The state of a task.
package struct TaskStatus: Message, Hashable {
    package enum Phase: UInt8, Sendable, CaseIterable {
        case waiting = 1
        case running
        case suspended
        case ended
    }

    package let number: UInt64
    package let isDownload: Bool
    package let phase: Phase
    package let sent: UInt64
    package let received: UInt64
    /// The size of the whole body that is sent or received; nil if it is not known.
    package let expected: UInt64?

    package init(
        number: UInt64, isDownload: Bool, phase: Phase, sent: UInt64, received: UInt64, expected: UInt64?
    ) {
        self.number = number
        self.isDownload = isDownload
        self.phase = phase
        self.sent = sent
        self.received = received
        self.expected = expected
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(number, as: 1)
        encoder.encode(isDownload, as: 2)
        encoder.encode(phase.rawValue, as: 3)
        encoder.encode(sent, as: 4)
        encoder.encode(received, as: 5)
        encoder.encode(expected, as: 6)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        number = try decoder.decode(1)
        isDownload = try decoder.decode(2)
        // A phase that this version does not know is one of a task that goes on.
        phase = Phase(rawValue: try decoder.decode(3)) ?? .waiting
        sent = try decoder.decode(4)
        received = try decoder.decode(5)
        expected = try decoder.decodeIfPresent(6)
    }
}

/// What the broker knows about a task.
package struct TaskDescription: Message, Hashable {
    package let url: String
    package let files: [String]
    package let hasEnded: Bool
    /// Why the task failed; nil if it has not failed.
    package let failure: String?
    /// The server's last answer.
    package let answer: TransferAnswer?

    package init(url: String, files: [String], hasEnded: Bool, failure: String?, answer: TransferAnswer?) {
        self.url = url
        self.files = files
        self.hasEnded = hasEnded
        self.failure = failure
        self.answer = answer
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(url, as: 1)
        encoder.encode(list: files, as: 2)
        encoder.encode(hasEnded, as: 3)
        encoder.encode(failure, as: 4)
        encoder.encode(answer, as: 5)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        url = try decoder.decode(1)
        files = try decoder.decodeList(2)
        hasEnded = try decoder.decode(3)
        failure = try decoder.decodeIfPresent(4)
        answer = try decoder.decodeIfPresent(5)
    }
}
