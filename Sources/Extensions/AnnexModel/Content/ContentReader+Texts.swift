// Every text of a view that a host shows passes through these functions. So hosts get harmless text only.
extension ContentReader {
    /// Checks a text that may have several lines, and makes it harmless.
    func text(_ text: String, at place: ContentPlace) throws(ContentError) -> String {
        try checkLength(text, at: place)
        let harmless = ShownText.harmless(text, hasLines: true)
        guard harmless.utf8.count(where: { $0 == UInt8(ascii: "\n") }) < limits.textLines else {
            throw ContentError(
                .textTooLong, at: place, what: "has a text of more than \(limits.textLines) lines",
                remedy: "shorten the text")
        }
        return harmless
    }

    /// Checks a title, label, description or option, and makes it harmless.
    func line(_ text: String, at place: ContentPlace) throws(ContentError) -> String {
        try checkLength(text, at: place)
        return ShownText.harmless(text, hasLines: false)
    }

    private func checkLength(_ text: String, at place: ContentPlace) throws(ContentError) {
        guard text.utf8.count <= limits.textBytes else {
            throw ContentError(
                .textTooLong, at: place, what: "has a text of more than \(limits.textBytes) bytes",
                remedy: "shorten the text")
        }
    }
}

// MARK: - What a user acts on

extension ContentReader {
    func fraction(_ fraction: Double?, at place: ContentPlace) throws(ContentError) -> Double? {
        guard let fraction else { return nil }
        guard fraction.isFinite else {
            throw ContentError(
                .invalidProgress, at: place, what: "has a progress that is no number",
                remedy: "leave it out if the length of the work is not known")
        }
        return min(max(fraction, 0), 1)
    }

    func choice(_ message: NodeMessage, at place: ContentPlace) throws(ContentError) -> ContentNode {
        guard (1...limits.options).contains(message.options.count) else {
            throw ContentError(
                .invalidChoice, at: place,
                what: "has \(message.options.count) options, and 1 to \(limits.options) are allowed",
                remedy: "offer fewer options, or at least one")
        }
        try checkAction(message.action, at: place)
        var options: [String] = []
        for option in message.options { options.append(try line(option, at: place)) }
        let chosen = message.chosen.map { Int($0) }
        guard chosen.map({ options.indices.contains($0) }) ?? true else {
            throw ContentError(
                .invalidChoice, at: place, what: "has no option at the chosen index", remedy: "count the options from 0"
            )
        }
        return .choice(try line(message.text, at: place), action: message.action, options: options, chosen: chosen)
    }

    /// Checks the identifier of an action. The host returns identifiers to the extension unchanged. So an identifier
    /// may have only characters that need no escape in any format.
    func checkAction(_ identifier: String, at place: ContentPlace) throws(ContentError) {
        let isWellFormed = identifier.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isWellFormed, (1...limits.actionBytes).contains(identifier.utf8.count) else {
            throw ContentError(
                .invalidAction, at: place,
                what:
                    "has an action of other than 1 to \(limits.actionBytes) letters, digits, dots, hyphens, underscores",
                remedy: "name the action by a short word")
        }
    }
}
