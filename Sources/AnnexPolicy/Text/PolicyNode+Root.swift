internal import Yams

extension PolicyNode {
    /// A policy is a page or two of text; more is a mistake, or an attack on the reader.
    static let largestText = 256 * 1024

    /// The root of a text, once it is YAML without anchors and double keys.
    static func root(of text: String, file: String) throws(PolicyError) -> PolicyNode {
        let start = PolicyPlace(file: file, line: 1, column: 1)
        guard text.utf8.count <= largestText else { throw PolicyError("longer than \(largestText) bytes", at: start) }
        try refuseAnchors(in: text, file: file)
        let composed: Node?
        do {
            composed = try compose(yaml: text)
        } catch {
            throw PolicyError(yaml: error, file: file)
        }
        guard let composed else { throw PolicyError("empty", at: start) }
        return PolicyNode(composed, file: file)
    }

    /// Aliases of aliases make a short text stand for an endless one, and nobody reads a policy that refers about.
    private static func refuseAnchors(in text: String, file: String) throws(PolicyError) {
        var line = 1
        var column = 0
        var before: UnicodeScalar = " "
        var marked = false
        for letter in text.unicodeScalars {
            if marked, !"& \n\r\t=*\"'`".unicodeScalars.contains(letter) {
                throw PolicyError(
                    "anchors and aliases (`&name`, `*name`) are not used in policies",
                    at: PolicyPlace(file: file, line: line, column: column))
            }
            column += 1
            marked = (letter == "&" || letter == "*") && " \n\t[{,:-?".unicodeScalars.contains(before)
            before = letter
            if letter == "\n" { (line, column) = (line + 1, 0) }
        }
    }
}

extension PolicyError {
    /// What the YAML parser objects to, with its place.
    init(yaml error: any Error, file: String) {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init("not YAML: \(problem)", at: PolicyPlace(file: file, line: mark.line, column: mark.column))
        case .duplicatedKeysInMapping(let names, let context):
            let place = PolicyPlace(file: file, line: context.mark.line, column: context.mark.column)
            self.init("the same key twice: \(names.joined(separator: ", "))", at: place)
        default:
            self.init("not YAML: \(error)", at: PolicyPlace(file: file, line: 1, column: 1))
        }
    }
}
