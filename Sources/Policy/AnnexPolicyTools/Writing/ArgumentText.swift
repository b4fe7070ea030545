internal import AnnexPolicy

/// Reads the arguments of a call as people write them: `flags=O_WRONLY|O_CREAT`, `size=4K`, `0=3`.
struct ArgumentText {
    let call: SystemCall

    /// The register that a name or number stands for.
    func index(_ name: String, at place: PolicyPlace?) throws(PolicyError) -> Int {
        let known = (call.arguments ?? []).map(\.name)
        if let index = known.firstIndex(of: name) { return index }
        if let number = WholeNumber.parse(name), number < 6 { return Int(number) }
        throw PolicyError(
            "unknown argument `\(name)` of `\(call.name)`"
                + (known.isEmpty ? "; its registers are 0 to 5" : " (\(known.joined(separator: ", ")))"),
            at: place, suggestion: NearestName.of(name, among: known))
    }

    /// The register's value, from names and numbers joined by `|`.
    func value(_ text: String, of index: Int, at place: PolicyPlace?) throws(PolicyError) -> UInt64 {
        let known = call.arguments ?? []
        let kind = index < known.count ? known[index].kind : .register
        var value: UInt64 = 0
        for part in text.split(separator: "|", omittingEmptySubsequences: false) {
            value |= try one(part.trimmed, kind, at: place)
        }
        return value
    }

    private func one(_ text: String, _ kind: ArgumentKind, at place: PolicyPlace?) throws(PolicyError) -> UInt64 {
        if let value = kind.value(named: text) { return value }
        if text == "NULL" { return 0 }
        // People write file modes in octal.
        if kind.style == .octal, text.utf8.allSatisfy({ $0 >= 0x30 && $0 < 0x38 }), let mode = UInt64(text, radix: 8) {
            return mode
        }
        if text.hasPrefix("-"), let number = Int64(text) { return UInt64(bitPattern: number) & kind.mask }
        if !text.isEmpty, let number = WholeNumber.parse(text) ?? Quantity.bytes(text) { return number }
        let names = kind.constants.map(\.name)
        throw PolicyError("unknown value `\(text)`", at: place, suggestion: NearestName.of(text, among: names))
    }
}

extension Substring {
    /// The text without blanks at its start and end.
    var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
