extension PolicyNode {
    /// The largest text in bytes. A policy has a page or two of text; a longer one is a mistake, or an attack on the
    /// reader.
    static let largestText = 256 * 1024

    /// The root node of a text. The text must be YAML without anchors, tags and duplicate keys.
    static func root(of text: String, file: String) throws(PolicyError) -> PolicyNode {
        let start = PolicyPlace(file: file, line: 1, column: 1)
        guard text.utf8.count <= largestText else { throw PolicyError("longer than \(largestText) bytes", at: start) }
        do throws(YAMLFailure) {
            // Some editors write a byte order mark, which has no meaning in UTF-8.
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
