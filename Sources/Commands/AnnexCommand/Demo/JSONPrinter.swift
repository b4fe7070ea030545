import AnnexHost
import AnnexLinux
import FoundationEssentials

/// Prints one JSON object at the end, for other programs. Durations are in microseconds, and sizes are in bytes.
final class JSONPrinter: DemoPrinter {
    private struct Report: Encodable {
        var picture: Picture?
        var tries: [Try] = []
        var hostLives: Bool?
        var hostFailure: String?
    }

    private struct Picture: Encodable {
        var original: String
        var edited: String?
        var error: String?
        var answeredMicroseconds: Double?
        var launchMicroseconds: Double?
        var steps: [Step] = []
        var layers: [String] = []
        var waived: [String] = []
        var memoryLimit: UInt64?
        var memoryPeak: UInt64?
        var memoryEnforcement: String?
        var messagesSent: UInt64?
        var messagesReceived: UInt64?
        var messageBytes: UInt64?
        var end: String?
    }

    private struct Step: Encodable {
        let name: String
        let microseconds: Double
    }

    private struct Try: Encodable {
        let conduct: String
        let held: Bool
        let reason: String
        let detail: String
        let stoppedBy: String
        let words: [String]
        let leakedDescriptors: Int
        let microseconds: Double
    }

    private var report = Report()

    func show(_ edit: PictureEdit.Result) {
        var picture = Picture(original: edit.original)
        switch edit.outcome {
        case .success(let edited):
            picture.edited = edited.path
            picture.answeredMicroseconds = edited.answered.microseconds
        case .failure(let failure): picture.error = failure.text
        }
        if let session = edit.session { fill(&picture, from: session) }
        report.picture = picture
    }

    private func fill(_ picture: inout Picture, from session: SessionFacts) {
        picture.launchMicroseconds = session.report.total.microseconds
        picture.steps = session.report.steps.map { Step(name: $0.name, microseconds: $0.duration.microseconds) }
        picture.layers = session.report.layers
        picture.waived = session.report.waived.map(\.layer.rawValue)
        picture.memoryLimit = session.report.memoryLimit
        picture.memoryPeak = session.end.usage.peakMemory
        picture.memoryEnforcement = session.report.memory.rawValue
        picture.messagesSent = session.sent
        picture.messagesReceived = session.received
        picture.messageBytes = session.bytes
        picture.end = session.end.reason.rawValue
    }

    func show(_ trial: Trial.Result) {
        report.tries.append(
            Try(
                conduct: trial.conduct.rawValue, held: trial.isHeld, reason: trial.end.reason.rawValue,
                detail: trial.end.detail.description, stoppedBy: trial.stoppedBy,
                words: trial.words.map(\.plain), leakedDescriptors: trial.leakedDescriptors,
                microseconds: trial.took.microseconds))
    }

    func showHost(_ failure: String?) {
        report.hostLives = failure == nil
        report.hostFailure = failure
    }

    func finish() {
        guard let text = try? EncodedJSON.text(report) else { return }
        print(text)
    }
}

extension Duration {
    fileprivate var microseconds: Double {
        Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12
    }
}
