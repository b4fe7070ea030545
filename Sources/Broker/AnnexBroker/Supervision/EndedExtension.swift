package import AnnexBrokerAPI
internal import AnnexLaunch
package import AnnexModel
internal import AnnexPolicy
package import AnnexRegistry
internal import AnnexSupervision

/// The end of one extension with everything that a report needs: its identity, its launch and the cause of its end.
package struct EndedExtension: Sendable {
    /// The extension's bundle identifier.
    package let identifier: String
    /// The build that ran: its identifier, version and digest.
    package let instance: Instance
    /// The policy that the extension ran under.
    package let policy: String
    /// The time from the request for the launch to the end of the extension. The clock stops while the machine is
    /// suspended.
    package let lifetime: Duration
    /// How long the launch waited for an instance slot.
    package let waited: Duration
    /// The launch report; nil if the extension's own code never ran. If the extension ended before its hello, the
    /// report has no step `hello`.
    package let launch: LaunchReport?
    /// Every limit of the policy, and the mechanism that enforced it.
    package let limits: [LaunchReport.Limit]
    /// The end as the broker reports it to the host.
    package let termination: Termination
    /// What decides which later launches this end delays.
    package var facts = LifeFacts()
}

extension EndedExtension {
    /// The approximate memory of this value in bytes. It counts the texts that an extension can make long, and a
    /// constant for all other parts.
    var weight: Int {
        let output = termination.lastOutput.reduce(0) { $0 + $1.description.utf8.count }
        return termination.denials.reduce(4096 + output) { $0 + $1.weight }
    }
}

extension DeniedCall {
    fileprivate var weight: Int {
        (arguments + backtrace).reduce(256 + (remedy?.utf8.count ?? 0)) { $0 + $1.description.utf8.count }
    }
}

extension Termination {
    /// The end as hosts learn it.
    /// - Parameters:
    ///   - activity: the extension's own words for the activity that it began last.
    ///   - messages: the counts of the extension's channel.
    init(_ ending: Ending, facts: SandboxEnd, activity: String? = nil, messages: SessionStatistics? = nil) {
        self.init(
            ending.reason, detail: Detail(ending, facts: facts, activity: activity),
            usage: Usage(
                peakMemory: facts.peakMemory, userTime: facts.usage?.userTime, systemTime: facts.usage?.systemTime,
                messages: messages, denials: facts.denialSummary.total),
            lastOutput: facts.lastLines, denials: facts.denials.map { DeniedCall($0) })
    }
}

extension Termination.Detail {
    fileprivate init(_ ending: Ending, facts: SandboxEnd, activity: String?) {
        switch ending.detail {
        case .none: self = .none
        case .exitCode(let code): self = .exitCode(code)
        case .signal(let number):
            let backtrace = facts.frames(ofCrashBy: number).map(\.escaped)
            self = .signal(Signal(number, message: facts.lastWords, backtrace: backtrace))
        case .limit(let text):
            let work = ending.reason == .graceExpired ? activity.map { ", on: \(Escaped($0))" } : nil
            self = .limit(text + (work ?? ""))
        case .denial(let denial): self = .deniedCall(DeniedCall(denial))
        case .foreignCall: self = .deniedCall(DeniedCall("call of a foreign ABI", layer: "seccomp"))
        case .violation(let text): self = .violation(Escaped(text))
        case .step(let failure):
            self = .step(AnnexModel.LaunchStep(failure.step, cause: failure.cause, remedy: failure.remedy))
        }
    }
}

extension SandboxEnd {
    /// The program's last message: the Swift runtime's error if there is one, otherwise the last line of output.
    ///
    /// After its error, the runtime prints the frames of its stack, one frame per line.
    fileprivate var lastWords: Escaped? {
        let lines = Escaped.lines(of: output.bytes, last: 200)
        return lines.last { $0.description.contains("Fatal error") } ?? lines.last
    }

    /// The last lines of output, without the stack that the Swift runtime prints after an error. The stack would push
    /// the program's own lines out, and a report has the backtrace under a key of its own.
    fileprivate var lastLines: [Escaped] {
        var isInStack = false
        let lines = Escaped.lines(of: output.bytes, last: 200).filter { line in
            let text = line.description
            isInStack = text == "Current stack trace:" || isInStack && text.first?.isNumber == true
            return !isInStack
        }
        return lines.suffix(20)
    }
}

extension DeniedCall {
    /// The denial's text is already decoded and escaped, as `name(arguments)`. A refused machine is an argument itself.
    fileprivate init(_ denial: Denial) {
        let inside =
            if case .host(let host) = denial.subject {
                host.place
            } else {
                String(denial.text.dropFirst(denial.call.count + 1).dropLast())
            }
        self.init(
            denial.call, arguments: inside.isEmpty ? [] : [Escaped(inside)],
            layer: (denial.layers.first ?? .seccomp).rawValue, remedy: denial.remedyText, count: denial.count,
            backtrace: denial.backtrace?.frames.map(\.escaped) ?? [])
    }
}

extension Backtrace.Frame {
    /// A frame's text has its names escaped. So they are not escaped again.
    fileprivate var escaped: Escaped { Escaped(Escaped.plain(description), limit: 512) }
}
