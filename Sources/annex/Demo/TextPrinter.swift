import AnnexHost

/// For a person at a terminal.
final class TextPrinter: DemoPrinter {
    private let style: Style
    private var trials = 0
    private var held = 0

    init(style: Style) {
        self.style = style
    }

    func show(_ edit: PictureEdit.Result) {
        switch edit.outcome {
        case .failure(let failure): print("\(style.bad("✗")) \(failure.text)")
        case .success(let edited):
            print("\(style.good("✓")) \(edit.original) (\(ByteCount(edited.originalSize)))")
            print("  → \(style.bold(edited.path)) (\(ByteCount(edited.size)))")
            print(style.faint("  in by a read-only descriptor, out as sealed memory; this program decoded nothing"))
        }
        if let session = edit.session { show(session, outcome: edit.outcome) }
    }

    private func show(_ session: SessionFacts, outcome: Result<PictureEdit.Edited, PictureEdit.Failure>) {
        print("\n\(style.bold("Launch"))  \(session.report.total.short) from the plan to the extension's hello")
        for step in session.report.steps {
            print("  \(step.name.padded(to: 34)) \(step.duration.short)")
        }
        print("\n\(style.bold("In force"))  policy \(session.report.policy)")
        for layer in session.report.layers { print("  \(layer)") }
        let limit = ByteCount(session.report.memoryLimit)
        let peak = session.end.usage.peakMemory.map { "\(ByteCount($0))" } ?? "unknown"
        print("\n\(style.bold("Used"))  memory \(peak) of \(limit) (\(session.report.memory.rawValue))", terminator: "")
        if case .success(let edited) = outcome {
            print(", 1 round trip of \(edited.answered.short)", terminator: "")
            print(" (\(session.sent) messages out, \(session.received) in, \(session.bytes) bytes)", terminator: "")
        }
        print("\n\(style.bold("End"))   \(session.end)")
    }

    func show(_ trial: Trial.Result) {
        if trials == 0 {
            print("\n\(style.bold("The same request, to an extension that misbehaves"))  each in a fresh process")
        }
        trials += 1
        held += trial.isHeld ? 1 : 0
        let mark = trial.isHeld ? style.good("✓") : style.bad("✗")
        print("\(mark) \(trial.conduct.text.padded(to: 42)) \(style.faint(trial.took.short))")
        print("    stopped by  \(trial.stoppedBy)")
        print("    host told   \(trial.end)")
        for words in trial.words { print("    it says     \(words)") }
        if trial.leakedDescriptors != 0 {
            print(style.bad("    the host has \(trial.leakedDescriptors) descriptors more than before"))
        }
    }

    func showHost(_ failure: String?) {
        guard trials > 0 else { return }
        print("\n\(held) of \(trials) held.", terminator: " ")
        guard let failure else { return print("The same host lives and gets another picture edited.") }
        print(style.bad("The host no longer gets a picture edited: \(failure)"))
    }

    func finish() {}
}

extension Duration {
    /// Three figures and a unit: `312 µs`, `1.83 ms`, `2.00 s`.
    var short: String {
        let (seconds, attoseconds) = components
        let microseconds = Double(seconds) * 1e6 + Double(attoseconds) / 1e12
        switch microseconds {
        case ..<1000: return "\(Self.rounded(microseconds, digits: microseconds < 100 ? 1 : 0)) µs"
        case ..<1_000_000: return "\(Self.rounded(microseconds / 1000, digits: 2)) ms"
        default: return "\(Self.rounded(microseconds / 1_000_000, digits: 2)) s"
        }
    }

    private static func rounded(_ value: Double, digits: Int) -> String {
        let scale = digits == 0 ? 1.0 : digits == 1 ? 10 : 100
        let whole = Int((value * scale).rounded())
        guard digits > 0 else { return "\(whole)" }
        let rest = String(whole % Int(scale))
        return "\(whole / Int(scale)).\(String(repeating: "0", count: digits - rest.count))\(rest)"
    }
}

extension String {
    /// The text with spaces behind it up to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
