internal import AnnexLinux
internal import AnnexTransferWire
internal import Glibc

/// One job of the agent, from the broker's order to its end. It follows redirects by one exchange after another.
final class AgentJob {
    /// What the job does now.
    enum Stage: Equatable {
        /// It waits for its turn.
        case waiting
        /// It waits for the broker's answer to a question.
        case asking(question: UInt64, until: UInt64)
        case exchanging(UInt64)
        /// Its exchange is over, and the agent has not looked at it yet.
        case finished(ExchangeFailure?)
    }

    /// What follows an exchange.
    enum Step {
        /// One more exchange, with the server of `location`.
        case again
        case end(TransferEnd)
    }

    let job: TransferJob
    var stage = Stage.waiting
    private(set) var location: HTTPLocation
    private(set) var redirects = 0
    private let tools: Tools
    private var files: JobFiles
    private var hop = Hop()
    /// Whether the next request still has the job's method and body.
    private var hasBody = true
    private var keepsHeaders = true
    /// How much of the destination belongs to the file that the validator names.
    private var received: UInt64
    private var validator: TransferValidator?
    private var sent: UInt64 = 0
    private var expected: UInt64?
    private var deadline: UInt64?
    private var lastProgress: (at: UInt64, sent: UInt64, received: UInt64) = (0, 0, 0)

    /// What a job needs of its agent.
    struct Tools {
        let resolve: (_ reference: String, _ base: String?) -> HTTPLocation?
        let seconds: (_ date: String) -> Int64?
        let tell: (TransferNews) -> Void
    }

    /// What one exchange has brought so far.
    private struct Hop {
        var head = AnswerHead()
        var plan: DownloadPlan?
        /// Why this side ended the exchange.
        var error: TransferError?
        var body: [UInt8] = []
        var bodyWasCut = false
    }

    /// - Throws: why the job ends before it begins.
    init(_ job: TransferJob, files: consuming DescriptorList, tools: Tools) throws(TransferError) {
        self.files = JobFiles(files, of: job.work)
        self.job = job
        self.tools = tools
        if case .download(let download) = job.work, let validator = download.validator {
            (received, self.validator) = (download.offset, validator)
        } else {
            (received, validator) = (0, nil)
        }
        guard let location = tools.resolve(job.url, nil), !location.hasCredentials else { throw .badURL }
        self.location = location
        guard self.files.areSound() else { throw .fileChanged }
    }
}

// MARK: - One exchange after another

extension AgentJob {
    /// Whether the time for the whole attempt is over.
    func isLate(at now: UInt64) -> Bool { deadline.map { $0 <= now } ?? false }

    /// The request of the next exchange.
    func request(to addresses: [String]) -> HTTPRequest {
        let now = MonotonicClock.now()
        let end = deadline ?? MonotonicClock.deadline(after: .seconds(job.patience.whole), from: now)
        deadline = end
        hop = Hop()
        (sent, expected) = (0, nil)
        files.rewind()
        return HTTPRequest(
            location: location, addresses: addresses, method: hasBody ? job.method.name : TransferMethod.get.name,
            headers: headers, body: body, connectingMilliseconds: UInt64(job.patience.connecting) * 1000,
            idleSeconds: job.patience.idle, wholeMilliseconds: max((end > now ? end - now : 0) / 1_000_000, 1))
    }

    private var headers: [String] {
        let own = job.headers.filter { keepsHeaders || RedirectRule.harmless.contains($0.name.lowercased()) }
        let names = Set(own.map { $0.name.lowercased() })
        // An empty value would be left out by some HTTP libraries, unless the line ends with a semicolon.
        var lines = own.map { header in
            let isEmpty = header.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            return isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
        }
        if !names.contains("user-agent") { lines.append("User-Agent: annex-transfer") }
        guard job.work.isDownload else {
            // The body follows at once. Otherwise the library waits for a word of the server, and repeats the request by
            // itself if that word is a refusal.
            if !names.contains("expect") { lines.append("Expect:") }
            return lines
        }
        // The bytes of the file itself: only those can be resumed.
        lines.append("Accept-Encoding: identity")
        if let validator, received > 0 {
            lines += ["Range: bytes=\(received)-", "If-Range: \(validator.text)"]
        }
        return lines
    }

    private var body: HTTPBody {
        guard hasBody else { return .none }
        switch job.work {
        case .download: return .none
        case .upload(let size): return .file(size: size)
        case .form(let parts):
            return .form(
                parts.map { part in
                    HTTPPart(
                        name: part.name, fileName: part.fileName, type: part.type,
                        contents: part.size.map { .file(size: $0) } ?? .text(part.text ?? ""))
                })
        }
    }

    /// What follows the exchange that has just finished.
    func step(after failure: ExchangeFailure?) -> Step {
        if let error = hop.error { return .end(end(with: error)) }
        if let failure, !(failure == .stopped && hop.bodyWasCut) { return .end(end(with: failure)) }
        guard hop.head.isWhole, !hop.head.isInterim else { return .end(end(with: TransferError.badAnswer)) }
        do throws(TransferError) {
            if try followsRedirect() { return .again }
        } catch {
            return .end(end(with: error))
        }
        if hop.plan == .restart, received > 0 {
            (received, validator) = (0, nil)
            return .again
        }
        if case .write(_, let expected?) = hop.plan, received != expected { return .end(end(with: .bodyMismatch)) }
        return .end(
            end(answer: answer, error: nil, retry: TransferRetry(after: hop.head, seconds: tools.seconds)))
    }

    private func followsRedirect() throws(TransferError) -> Bool {
        guard
            let next = try RedirectRule.next(
                after: hop.head, from: location, method: hasBody ? job.method : .get, redirects: redirects,
                resolve: { self.tools.resolve($0, $1) })
        else { return false }
        redirects += 1
        location = next.location
        if next.dropsBody { hasBody = false }
        if next.changesServer { keepsHeaders = false }
        return true
    }

    /// An error that ends the job, whatever it does now.
    func end(with error: TransferError) -> TransferEnd {
        end(answer: hop.head.isInterim ? nil : answer, error: error, retry: TransferRetry(after: error))
    }

    private func end(with failure: ExchangeFailure) -> TransferEnd {
        let end = end(with: TransferError(failure))
        guard case .tlsFailed(isVerdict: false) = failure else { return end }
        return self.end(answer: end.answer, error: end.error, retry: .later)
    }

    private func end(answer: TransferAnswer?, error: TransferError?, retry: TransferRetry) -> TransferEnd {
        TransferEnd(
            key: job.key, sent: sent, received: received, answer: answer, error: error, retry: retry,
            validator: error != nil && received > 0 ? validator : nil)
    }

    private var answer: TransferAnswer {
        TransferAnswer(
            status: hop.head.status, headers: hop.head.lines, headersWereCut: hop.head.linesWereCut, body: hop.body,
            bodyWasCut: hop.bodyWasCut)
    }
}

// MARK: - What an exchange brings

extension AgentJob: ExchangeClient {
    func receive(line: RawSpan) -> Bool {
        let wasWhole = hop.head.isWhole
        hop.head.add(unsafe line.withUnsafeBytes { unsafe [UInt8]($0) })
        guard hop.head.bytes <= TransferLimits.headerBytesRead else { return stop(.headersTooLarge) }
        guard hop.head.isWhole, !wasWhole, !hop.head.isInterim else { return true }
        return planBody()
    }

    private func planBody() -> Bool {
        let isRedirect = RedirectRule.statuses.contains(hop.head.status)
        guard case .download(let download) = job.work, !isRedirect else {
            hop.plan = .keep
            return true
        }
        let plan = DownloadPlan(after: hop.head, offset: received, validator: validator)
        hop.plan = plan
        switch plan {
        case .keep, .restart: return true
        case .fail(let error):
            // The same range would get the same answer, so the next attempt begins at 0.
            validator = nil
            return stop(error)
        case .write(let offset, let expected):
            guard max(expected ?? 0, offset) <= download.mostBytes else { return stop(.tooLarge) }
            return beginFile(at: offset, expected: expected)
        }
    }

    private func beginFile(at offset: UInt64, expected: UInt64?) -> Bool {
        if offset == 0 {
            (received, validator) = (0, TransferValidator(of: hop.head, seconds: tools.seconds))
            guard files.empty() else { return stop(.diskFull) }
        }
        self.expected = expected
        tools.tell(
            .response(TransferResponse(key: job.key, offset: offset, validator: validator, expected: expected)))
        return true
    }

    func receive(body: RawSpan) -> Bool {
        guard case .write(_, let expected) = hop.plan, case .download(let download) = job.work else {
            return keep(body)
        }
        let end = received + UInt64(body.byteCount)
        guard end <= expected ?? .max else { return stop(.bodyMismatch) }
        guard end <= download.mostBytes else { return stop(.tooLarge) }
        guard files.write(body, at: received) else { return stop(.diskFull) }
        received = end
        tellProgress()
        return true
    }

    private func keep(_ body: RawSpan) -> Bool {
        let room = TransferLimits.answerBody - hop.body.count
        hop.body += unsafe body.withUnsafeBytes { unsafe [UInt8]($0.prefix(room)) }
        hop.bodyWasCut = body.byteCount > room
        return !hop.bodyWasCut
    }

    func fill(_ room: inout MutableRawSpan, file: Int) -> Int? {
        if let count = files.fill(&room, from: file) { return count }
        _ = stop(.fileChanged)
        return nil
    }

    func rewind(file: Int, to offset: Int64) -> Bool { files.rewind(file, to: offset) }

    func note(sent: UInt64, of whole: UInt64?) {
        guard !job.work.isDownload, hasBody else { return }
        (self.sent, expected) = (sent, whole)
        tellProgress()
    }

    func finish(_ failure: ExchangeFailure?) { stage = .finished(failure) }

    private func stop(_ error: TransferError) -> Bool {
        hop.error = hop.error ?? error
        return false
    }

    private func tellProgress() {
        let now = MonotonicClock.now()
        guard (sent, received) != (lastProgress.sent, lastProgress.received),
            now - lastProgress.at >= MonotonicClock.nanoseconds(TransferLimits.progressInterval)
        else { return }
        lastProgress = (now, sent, received)
        tools.tell(
            .progress(TransferProgress(key: job.key, sent: sent, received: received, expected: expected)))
    }
}

extension TransferError {
    init(_ failure: ExchangeFailure) {
        self =
            switch failure {
            case .stopped, .engineFailed: .agentFailed
            // The broker refuses connections to addresses of this machine with this number.
            case .connectFailed(let number): number == EACCES ? .refusedAddress : .connectFailed
            case .tlsFailed: .tlsFailed
            case .connectionLost: .connectionLost
            case .badAnswer: .badAnswer
            case .shortBody: .bodyMismatch
            case .timedOut: .timedOut
            case .tooSlow: .tooSlow
            case .headersTooLarge: .headersTooLarge
            }
    }
}
