internal import AnnexModel

/// What the user wants, as the fields of a form of the page state it.
enum PageWish: Sendable, Hashable {
    case perform(ContentAction, in: String)
    case setExpanded(Bool, String)
    case update(String)
    case move(String, to: Int)
    case setAdded(Bool, String)
    /// The page reports the width of its cards.
    case width(Int)

    static let mostBytes = 4096

    /// Nil if the page has no form that sends these fields.
    init?(form: [UInt8]) {
        guard form.count <= Self.mostBytes, let text = String(validating: form, as: UTF8.self) else { return nil }
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = Self.decoded(parts[0]), let value = Self.decoded(parts[1]),
                fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        guard let wish = fields["do"] else { return nil }
        self.init(words: wish.split(separator: ":", omittingEmptySubsequences: false), widget: fields["widget"] ?? "")
    }

    private init?(words: [Substring], widget: String) {
        let number = words.last.flatMap { Int($0) }
        switch (words[0], words.count) {
        case ("perform", 2): self = .perform(ContentAction(identifier: String(words[1])), in: widget)
        case ("perform", 3):
            guard let option = UInt32(words[2]) else { return nil }
            self = .perform(ContentAction(identifier: String(words[1]), option: option), in: widget)
        case ("expand", 1): self = .setExpanded(true, widget)
        case ("collapse", 1): self = .setExpanded(false, widget)
        case ("update", 1): self = .update(widget)
        case ("add", 1): self = .setAdded(true, widget)
        case ("remove", 1): self = .setAdded(false, widget)
        case ("move", 2):
            guard let number, number >= 0 else { return nil }
            self = .move(widget, to: number)
        case ("width", 2):
            guard let number, (1...10_000).contains(number) else { return nil }
            self = .width(number)
        default: return nil
        }
    }

    /// Decodes a text of the type `application/x-www-form-urlencoded`; nil if the text is not valid.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard rest.count >= 2, let pair = String(rest.prefix(2)), pair.utf8.allSatisfy(isDigit),
                    let value = UInt8(pair, radix: 16)
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        Unicode.Scalar(byte).properties.isASCIIHexDigit
    }
}
