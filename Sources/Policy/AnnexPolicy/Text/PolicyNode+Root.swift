extension PolicyNode {
    /// A policy is a page or two of text; more is a mistake, or an attack on the reader.
    static let largestText = 256 * 1024

    /// The root of a text, once it is YAML without anchors, tags and double keys.
    static func root(of text: String, file: String) throws(PolicyError) -> PolicyNode {
        let start = PolicyPlace(file: file, line: 1, column: 1)
        guard text.utf8.count <= largestText else { throw PolicyError("longer than \(largestText) bytes", at: start) }
        do throws(YAMLFailure) {
            // A mark of the byte order says nothing of UTF-8, and some editors write it.
            let plain = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
            guard let node = try YAMLNode(text: plain) else { throw YAMLFailure(problem: "empty", mark: start.mark) }
            return PolicyNode(node, file: file)
        } catch {
            throw PolicyError(
                error.problem, at: PolicyPlace(file: file, line: error.mark.line, column: error.mark.column))
        }
    }
}

extension PolicyPlace {
    fileprivate var mark: YAMLMark { YAMLMark(line: line, column: column) }
}
