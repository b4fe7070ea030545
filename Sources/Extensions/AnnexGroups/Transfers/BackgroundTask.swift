public import AnnexModel
public import AnnexPortal
internal import AnnexTransferWire

/// One upload or download of a background session.
public struct BackgroundTask: Sendable, Identifiable {
    /// The number of the task. No other task of the user's sessions has this number.
    public let id: UInt64
    let session: BackgroundSession

    /// Ends the task, unless it has ended. A download whose file is whole already ends with the server's answer.
    public nonisolated(nonsending) func cancel() async throws(PortalError) { try await ask(BackgroundMethod.cancel) }

    /// Pauses the task. A download goes on from the bytes that it has, if the server still has the same file. An upload
    /// begins anew.
    public nonisolated(nonsending) func suspend() async throws(PortalError) { try await ask(BackgroundMethod.suspend) }

    public nonisolated(nonsending) func resume() async throws(PortalError) { try await ask(BackgroundMethod.resume) }

    /// Begins the next attempt at once, if the task waits after a failed attempt. A task waits up to a quarter of an hour,
    /// or as long as the server says, at most a day.
    public nonisolated(nonsending) func retry() async throws(PortalError) { try await ask(BackgroundMethod.retry) }

    /// The URL that the task began with.
    public nonisolated(nonsending) func originalURL() async throws(PortalError) -> String { try await described().url }

    /// The outcome of the task; nil if the task goes on.
    public nonisolated(nonsending) func outcome() async throws(PortalError) -> BackgroundOutcome? {
        let description = try await described()
        guard description.hasEnded else { return nil }
        session.learn(ofEnd: id)
        return BackgroundOutcome(description)
    }

    /// A receipt for the host, which learns by it how the task goes on, and never what is transferred. Put the receipt
    /// into the answer: `item.userInfo[TransferReceipt.key] = receipt.value`.
    /// - Throws: `full` if the task has four receipts that are still good, or its app 512.
    public nonisolated(nonsending) func receipt() async throws(PortalError) -> TransferReceipt {
        let answer = try await session.ask(BackgroundMethod.receipt, with: reference).decoded(as: NameList.self)
        if let receipt = answer.names.first.flatMap({ TransferReceipt($0) }) { return receipt }
        throw PortalError(.system, what: "the broker gave no receipt", remedy: "update the broker")
    }

    private nonisolated(nonsending) func described() async throws(PortalError) -> TaskDescription {
        try await session.ask(BackgroundMethod.describe, with: reference)
            .decoded(as: TaskDescription.self, within: BackgroundMethod.limits)
    }

    private nonisolated(nonsending) func ask(_ method: PortalMethod) async throws(PortalError) {
        _ = try await session.ask(method, with: reference)
    }

    private var reference: TaskReference {
        TaskReference(session: session.configuration.identifier, task: id)
    }
}

/// The one outcome of a task.
public struct BackgroundOutcome: Sendable, Hashable {
    /// Why the task failed, as one word: for example `tlsFailed`, `tooManyRedirects`, `cancelled`, `revoked`, `expired`,
    /// `notPlaced` or `damaged`. It is nil if the server's answer arrived whole. The answer's status may still be an error.
    public let failure: String?
    /// The status of the server's last answer; nil if there was none.
    public let status: Int?
    /// The header lines of the server's last answer, as the server sent them; at most 16 KiB.
    public let headers: [String]
    /// The body of the server's last answer; at most 64 KiB. It is empty for a download that succeeded.
    public let body: [UInt8]
    /// The paths in the container: where the files of an upload came from, or where the file of a download went.
    public let files: [String]

    /// Whether the server's answer arrived whole and is a success.
    public var isSuccess: Bool { failure == nil && (200...299).contains(status ?? 0) }

    init(_ description: TaskDescription) {
        failure = description.failure
        status = description.answer.map { Int($0.status) }
        headers = String(decoding: description.answer?.headers ?? [], as: UTF8.self)
            .split(whereSeparator: \.isNewline).map(String.init)
        body = description.answer?.body ?? []
        files = description.files
    }
}

/// How many bytes of a task have moved.
public struct BackgroundProgress: Sendable, Hashable {
    public let sent: UInt64
    public let received: UInt64
    /// The size of the whole body that is sent or received; nil if it is not known.
    public let expected: UInt64?
}

/// What has happened to a task.
public enum BackgroundEvent: Sendable {
    case progress(BackgroundTask, BackgroundProgress)
    case ended(BackgroundTask, BackgroundOutcome)
}
