import AnnexHost

/// Prints the demo's results for a person at a terminal.
final class TextPrinter: DemoPrinter {
    private let style: Style
    private var trials = 0
    private var held = 0

    init(style: Style) {
        self.style = style
    }

    func show(_ edit: PictureEdit.Result) {
        switch edit.outcome {
        case .failure(let failure): StandardError.print("✗ \(failure.text)")
        case .success(let edited):
            let original = "\(Escaped(edit.original)) (\(ByteCount(edited.originalSize)))"
            print(
                "\(style.good("✓")) \(original) → \(style.bold("\(Escaped(edited.path))")) (\(ByteCount(edited.size)))")
            print(
                style.faint(
                    "  Decoded, edited and encoded in a sandbox. In by a read-only descriptor, out as sealed memory."))
            if let session = edit.session { show(session, answered: edited.answered) }
        }
    }

    private func show(_ session: SessionFacts, answered: Duration) {
        let report = session.report
        heading("Launch", text: "\(report.total.short) from the plan to the extension's hello")
        let steps = report.steps.map { $0.name.padded(to: 14) + $0.duration.short.aligned(to: 9) }
        for line in Columns.lines(of: steps, columns: 3) { print("  \(line)") }
        heading("In force", text: "policy \(report.policy)")
        for line in Columns.lines(of: report.layers, columns: 3) { print("  \(line)") }
        for waiver in report.waived {
            print(style.bad("  without \(waiver.layer.rawValue): ") + waiver.cause)
            if let remedy = waiver.remedy { print("    \(remedy)") }
        }
        let peak = session.end.usage.peakMemory.map { "\(ByteCount($0))" } ?? "unknown"
        heading("Used", text: "")
        print("  memory        \(peak) of \(ByteCount(report.memoryLimit)), \(holder(report.memory))")
        print("  channel       1 round trip of \(answered.short): ", terminator: "")
        print(
            "\(session.sent) messages out, \(session.received) in, \(session.bytes) bytes; the picture itself is not counted"
        )
        print("  end           \(session.end)")
    }

    private func holder(_ memory: LaunchReport.Enforcement) -> String {
        switch memory {
        case .enforced: "enforced by a control group"
        case .watched: "watched (this user has no control group here)"
        }
    }

    private func heading(_ name: String, text: String) {
        print(text.isEmpty ? "\n\(style.bold(name))" : "\n\(style.bold(name.padded(to: 16)))\(text)")
    }

    func show(_ trial: Trial.Result) {
        if trials == 0 { showTableHead() }
        trials += 1
        held += trial.isHeld ? 1 : 0
        let mark = trial.isHeld ? style.good("✓") : style.bad("✗")
        let row = trial.conduct.text.padded(to: 42) + trial.stoppedBy.padded(to: 42)
        print("\(mark) \(row)\(trial.took.short.aligned(to: 9))")
        for line in lines(of: trial) { print(style.faint("    \(line)")) }
        if !trial.isHeld { print(style.bad("    not held")) }
        if trial.leakedDescriptors != 0 {
            print(style.bad("    the host has \(trial.leakedDescriptors) descriptors more than before"))
        }
    }

    /// The end that the host received, and the extension's own answers.
    private func lines(of trial: Trial.Result) -> [String] {
        let answers = trial.words.flatMap { Columns.wrapped("its answer: \($0)", width: 92) }
        guard case .deniedCall(let call) = trial.end.detail else {
            return Columns.wrapped("\(trial.end)", width: 92) + answers
        }
        let arguments = call.arguments.map(\.description).joined(separator: ", ")
        let remedy = call.remedy.map { ["a policy would allow it by   \($0)"] } ?? []
        return Columns.wrapped("\(trial.end.reason.rawValue): \(call.name)(\(arguments))", width: 92) + remedy + answers
    }

    private func showTableHead() {
        print("\n\(style.bold("The same request, to an extension that misbehaves"))")
        print("Each attack runs in a fresh process. Below each attack is the end that the host received.\n")
        print(
            style.faint("  " + "the extension".padded(to: 42) + "is stopped by".padded(to: 42) + "after".aligned(to: 9))
        )
    }

    func showHost(_ failure: String?) {
        guard trials > 0 else { return }
        print("\n\(held) of \(trials) held.", terminator: " ")
        guard let failure else { return print("The same host still works: another picture was edited.") }
        print(style.bad("The same host no longer works: \(failure)"))
    }

    func finish() {}
}
