import AnnexBroker
import AnnexHost

/// Formats the rows as a table of fixed columns. The extension's name gets the remaining width.
struct TopTable {
    let style: Style
    let width: Int

    private static let widths = [7, 7, 9, 5, 10, 6, 9, 8, 6, 6]

    func lines(_ rows: [TopRow], most: Int) -> [String] {
        let heads = ["HOST", "PID", "STATE", "CPU%", "MEMORY", "MSG/S", "BYTES/S", "ANSWER", "DENIED", "AGE"]
        let processor = rows.reduce(0) { $0 + ($1.processor ?? 0) }
        let memory = rows.reduce(UInt64(0)) { $0.addingReportingOverflow($1.memory ?? 0).partialValue }
        let count = rows.count == 1 ? "1 extension" : "\(rows.count) extensions"
        var lines = [
            "\(count), \(Self.percent(processor))% of a processor, \(ByteCount(memory))",
            style.faint(line(heads, last: "EXTENSION")),
        ]
        lines += rows.prefix(most).map { row in line(cells(row), last: PlainText.shown(row.shown.identifier)) }
        if rows.count > most { lines.append("and \(rows.count - most) more") }
        return lines
    }

    private func line(_ cells: [String], last: String) -> String {
        let columns = zip(cells, Self.widths).map { $0.aligned(to: $1) }.joined(separator: " ")
        let left = max(12, width - columns.count - 1)
        // If an identifier must be cut, its end is shown, because the end identifies it better than the beginning.
        return columns + " " + (last.count <= left ? last : "…" + last.suffix(left - 1))
    }

    private func cells(_ row: TopRow) -> [String] {
        [
            row.shown.host.map { "\($0)" } ?? "-", row.shown.process.map { "\($0)" } ?? "-", row.shown.state.word,
            row.processor.map(Self.percent) ?? "-", row.memory.map { "\(ByteCount($0))" } ?? "-",
            row.messages.map(Self.short) ?? "-", row.bytes.map(Self.short) ?? "-",
            row.latency.map { Duration.seconds(min($0, 999_999)).short } ?? "-",
            Self.short(Double(row.shown.denials)), Self.age(row.age),
        ]
    }

    private static func percent(_ share: Double) -> String {
        let tenths = Int(min(share, 1e6) * 1000)
        return tenths >= 1000 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// A number in at most five characters.
    private static func short(_ number: Double) -> String {
        var number = number
        for unit in ["", "k", "M", "G", "T"] {
            if number < 9999.5 { return "\(Int(number.rounded()))\(unit)" }
            number /= 1000
        }
        return "9999T"
    }

    private static func age(_ seconds: Double) -> String {
        let whole = Int(min(seconds, 1e9))
        switch whole {
        case ..<100: return "\(whole)s"
        case ..<6000: return "\(whole / 60)m"
        case ..<360_000: return "\(whole / 3600)h"
        default: return "\(whole / 86_400)d"
        }
    }
}
