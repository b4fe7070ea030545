package import AnnexModel

extension ItemValue {
    /// A value of a property list. A date of an XML list becomes its text. A date of a binary list becomes its seconds.
    package init(_ value: PropertyListValue) {
        self =
            switch value {
            case .string(let text), .dateText(let text): .string(text)
            case .integer(let number): .integer(number)
            case .real(let number), .date(let number): .double(number)
            case .boolean(let isTrue): .bool(isTrue)
            case .data(let bytes): .data(bytes)
            case .array(let values): .list(values.map(ItemValue.init))
            case .dictionary(let values): .dictionary(values.mapValues(ItemValue.init))
            }
    }
}
