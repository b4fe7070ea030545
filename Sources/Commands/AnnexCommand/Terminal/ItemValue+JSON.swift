import AnnexLinux
import AnnexModel
import AnnexPolicy

extension ItemValue {
    /// The value as JSON. Bytes become a list of numbers, because they might not be text. A date becomes its seconds
    /// since 1970.
    var json: JSON {
        switch self {
        case .string(let value): .text(value)
        case .integer(let value): .numeral("\(value)")
        case .double(let value): Self.json(of: value)
        case .bool(let value): .boolean(value)
        case .data(let value): .list(value.map { .number(Int($0)) })
        case .date(let value): .object([.init("secondsSince1970", value: Self.json(of: value.secondsSince1970))])
        case .list(let values): .list(values.map(\.json))
        case .dictionary(let values):
            .object(values.sorted { $0.key < $1.key }.map { .init($0.key, value: $0.value.json) })
        }
    }

    /// The value in one line that is safe to show.
    var shown: String {
        if case .string(let text) = self { return Escaped(text).description }
        return Escaped(json.line, limit: 4_096).description
    }

    /// A number as JSON. JSON has no notation for infinity, so infinity becomes a text.
    private static func json(of value: Double) -> JSON { value.isFinite ? .numeral("\(value)") : .text("\(value)") }
}
