/// Text of an HTML document. The names of elements and attributes come from this program. Everything else is escaped.
/// So no text of an extension becomes markup.
struct Markup: Sendable, Hashable {
    private(set) var text = ""

    typealias Attribute = (name: StaticString, value: String?)

    /// Adds plain text.
    mutating func add(_ plain: String) { text += Self.escaped(plain) }

    /// Adds an element with its contents. An attribute without a value is left out.
    mutating func add(_ name: StaticString, with attributes: [Attribute] = [], containing body: (inout Markup) -> Void)
    {
        open(name, with: attributes)
        body(&self)
        text += "</\(name)>"
    }

    /// Adds an element that has no contents, such as `img`.
    mutating func addEmpty(_ name: StaticString, with attributes: [Attribute] = []) { open(name, with: attributes) }

    mutating func add(_ other: Markup) { text += other.text }

    /// Adds the page's own style sheet. It is not escaped, because no text of an extension is in it.
    /// - Parameter nonce: the word by which the content security policy of the answer recognizes the style sheet.
    mutating func addStyleSheet(knownBy nonce: String) {
        add("style", with: [("nonce", nonce)]) { $0.text += PageStyle.sheet }
    }

    private mutating func open(_ name: StaticString, with attributes: [Attribute]) {
        text += "<\(name)"
        for case (let attribute, let value?) in attributes { text += " \(attribute)=\"\(Self.escaped(value))\"" }
        text += ">"
    }

    /// Replaces the characters that could end a text or an attribute by character references.
    static func escaped(_ plain: String) -> String {
        var text = ""
        text.reserveCapacity(plain.utf8.count)
        for scalar in plain.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
