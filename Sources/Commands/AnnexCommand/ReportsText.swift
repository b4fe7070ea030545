import AnnexBroker
import AnnexHost
import AnnexPolicy

/// Prints reports for a person, on a terminal with 100 columns. The texts in a report are not trusted.
struct ReportsText {
    private let style: Style

    init(style: Style) {
        self.style = style
    }

    /// - Parameter isOfOne: whether all reports concern the same extension. If they do, the newest report is shown in
    ///   full.
    func show(_ reports: [StoredReport], isOfOne: Bool) {
        guard let newest = reports.first else { return }
        guard isOfOne else { return table(reports) }
        whole(newest)
        let rest = reports.dropFirst()
        guard !rest.isEmpty else { return }
        print("\n\(style.bold("Before that"))")
        table(Array(rest), naming: false)
    }

    /// Says that there is no report, and which reports were looked for.
    func showNone(of identifier: String?, onlyFailures: Bool, in folder: String) {
        guard !folder.isEmpty else { return print("no reports are kept, because ANNEX_REPORTS is empty") }
        let failure = onlyFailures ? " of a failure" : ""
        let owner = identifier.map { " of \(PlainText.shown($0))" } ?? ""
        print("no reports\(failure)\(owner) in \(PlainText.shown(folder))")
    }

    private func table(_ reports: [StoredReport], naming: Bool = true) {
        let name = naming ? min(40, reports.map { PlainText.shown($0.identifier).count }.max() ?? 0) : 0
        let heads = ["TIME (UTC)".padded(to: 19)] + (naming ? ["EXTENSION".padded(to: name)] : []) + ["REASON"]
        print(style.faint(heads.joined(separator: "  ")))
        for report in reports { print(row(report, name: name)) }
    }

    private func row(_ report: StoredReport, name: Int) -> String {
        let time = PlainText.cut(PlainText.shown(report.shortTime), to: 19).padded(to: 19)
        let extensionName = PlainText.cut(PlainText.shown(report.identifier), to: name).padded(to: name)
        let reason = PlainText.cut(PlainText.shown(report.reason), to: 20)
        let detail = PlainText.shown(report.detail)
        let left = 100 - 19 - 2 - (name > 0 ? name + 2 : 0) - reason.count - 2
        let words = report.isFailure ? style.bad(reason) : reason
        return time + "  " + (name > 0 ? extensionName + "  " : "") + words
            + (detail.isEmpty ? "" : "  " + PlainText.cut(detail, to: max(left, 16)))
    }

    // MARK: One in full

    private func whole(_ report: StoredReport) {
        let detail = PlainText.shown(report.detail)
        let reason = PlainText.shown(report.reason)
        print(style.bold(PlainText.shown(report.identifier)))
        line("ended", text: PlainText.shown(report.shortTime) + " UTC")
        line("reason", text: (report.isFailure ? style.bad(reason) : reason) + (detail.isEmpty ? "" : ": " + detail))
        line("remedy", text: text(report.json["remedy"]))
        line("policy", text: text(report.json["policy"]))
        line("lived", text: seconds(report.json["lifetimeSeconds"]) + waiting(report.json["waitedSeconds"]))
        line("used", text: used(report.json))
        list("output", lines: report.json["lastOutput"]?.items.compactMap { text($0) } ?? [])
        list("denied", lines: report.json["denials"]?.items.flatMap(denial) ?? [])
        list("backtrace", lines: report.json["backtrace"]?.items.compactMap { text($0) } ?? [])
        list("called by", lines: report.json["deniedCall"]?["backtrace"]?.items.compactMap { text($0) } ?? [])
        list("launch", lines: report.json["steps"]?.items.compactMap(step) ?? [])
        list(
            "layers",
            lines: Columns.wrapped(
                text(report.json["layers"]?.items.compactMap { text($0) }.joined(separator: ", ")) ?? "", width: 86))
        list("without", lines: report.json["waived"]?.items.compactMap(waiver) ?? [])
        list("limits", lines: report.json["limits"]?.items.compactMap(limit) ?? [])
    }

    private func line(_ name: String, text: String?) {
        guard let text, !text.isEmpty else { return }
        print("  \(name.padded(to: 11))\(text)")
    }

    private func list(_ name: String, lines: [String]) {
        for (index, text) in lines.enumerated() { line(index == 0 ? name : "", text: text) }
    }

    private func text(_ json: JSON?) -> String? { text(json?.text) }

    private func text(_ text: String?) -> String? { text.map { PlainText.shown($0) } }

    private func seconds(_ json: JSON?) -> String { json?.double.flatMap(Self.duration)?.short ?? "?" }

    private func waiting(_ json: JSON?) -> String {
        guard let waited = json?.double.flatMap(Self.duration), waited >= .milliseconds(1) else { return "" }
        return ", \(waited.short) of it waiting for a slot"
    }

    private func used(_ json: JSON) -> String {
        var parts: [String] = []
        if let bytes = json["peakMemory"]?.double, bytes >= 0, bytes < 1e18 {
            parts.append("\(ByteCount(UInt64(bytes)))")
        }
        if let user = json["userSeconds"]?.double, let system = json["systemSeconds"]?.double,
            let time = Self.duration(user + system)
        {
            parts.append("\(time.short) of processor time")
        }
        if let sent = json["messages"]?["sent"]?.double, let received = json["messages"]?["received"]?.double {
            parts.append("\(Self.count(sent)) messages to it, \(Self.count(received)) from it")
        }
        if let denied = json["denialCount"]?.double, denied > 0 { parts.append("\(Self.count(denied)) denials") }
        return parts.joined(separator: ", ")
    }

    private func denial(_ json: JSON) -> [String] {
        guard let call = text(json["call"]) else { return [] }
        let arguments = json["arguments"]?.items.compactMap { text($0) } ?? []
        let count = json["count"]?.double ?? 1
        let times = count > 1 ? "\(Self.count(count)) × " : ""
        let advice = DeniedCall.advice(for: call, arguments: arguments).map { "  \($0)" }
        let remedy = text(json["remedy"]).map { "  allowed by: \($0)" } ?? advice
        let list = arguments.joined(separator: ", ")
        return ["\(times)\(call)(\(list)) by \(text(json["layer"]) ?? "?")"] + (remedy.map { [$0] } ?? [])
    }

    private func step(_ json: JSON) -> String? {
        guard let name = text(json["name"]), let took = json["microseconds"]?.double,
            let time = Self.duration(took / 1e6)
        else { return nil }
        return name.padded(to: 24) + time.short.aligned(to: 10)
    }

    private func waiver(_ json: JSON) -> String? {
        text(json["layer"]).map { "\($0): \(text(json["cause"]) ?? "?")" }
    }

    private func limit(_ json: JSON) -> String? {
        guard let name = text(json["name"]), let bound = text(json["bound"]) else { return nil }
        return "\(name.padded(to: 14))\(bound.aligned(to: 8))  \(text(json["enforcement"]) ?? "?"): "
            + (text(json["keeper"]) ?? "?")
    }

    /// A duration from a file; nil if the number is out of range.
    private static func duration(_ seconds: Double) -> Duration? {
        seconds >= 0 && seconds < 1e9 ? .seconds(seconds) : nil
    }

    private static func count(_ number: Double) -> String {
        number >= 0 && number < 1e18 ? "\(UInt64(number))" : "?"
    }
}

extension StoredReport {
    /// The time, without fractions of a second.
    var shortTime: String {
        let date = time.prefix(19)
        return String(date.map { $0 == "T" ? " " : $0 })
    }

    var isFailure: Bool { json["isFailure"] == .boolean(true) }
}
