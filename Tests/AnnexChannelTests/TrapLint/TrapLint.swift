/// Finds expressions that can trap, in Swift text. The files that handle a peer's bytes must not contain such
/// expressions.
///
/// The lint reads words and not types, so it also forbids some harmless expressions. The receiver's files avoid those
/// expressions too.
struct TrapLint {
    struct Finding: Hashable, CustomStringConvertible {
        let line: Int
        let what: String

        var description: String { "line \(line): \(what)" }
    }

    static func findings(in source: String) -> [Finding] {
        var found: [Finding] = []
        for (index, line) in bare(source).split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            for what in offences(in: String(line)) { found.append(Finding(line: index + 1, what: what)) }
        }
        return found
    }

    private static func offences(in line: String) -> [String] {
        // Declarations of operators, imports and attributes contain no expression.
        if line.hasPrefix("@") || line.contains("import ") { return [] }
        var found: [String] = []
        for (name, pattern) in patterns where line.contains(pattern) { found.append(name) }
        return found
    }

    private static var patterns: [(String, Regex<Substring>)] {
        [
            ("arithmetic that traps on overflow", /(?:^|[^&+\-*\/%])(?:[+\-*\/%]=?)(?=[ (])/),
            ("arithmetic that traps on overflow", /(?:[\w)\]]) ?(?:[+*\/%]|-(?!>)) ?(?=[\w(])/),
            ("a range, which traps when its ends are the wrong way round", /\.\.[.<]/),
            (
                "a conversion that traps",
                /(?:^|[^\w])U?Int(?:8|16|32|64)?\((?!truncatingIfNeeded:|clamping:|exactly:|bitPattern:)/
            ),
            ("a subscript", /[\w)\]?]\[/),
            ("a forced unwrapping", /[\w)\]]!(?!=)/),
            ("a trap", /(?:^|[^\w])(?:precondition|preconditionFailure|fatalError|assert|assertionFailure)\(/),
            ("a removal that traps on nothing", /(?:^|[^\w])remove(?:First|Last)?\((?!atOffsets|forKey|all)/),
            ("unchecked memory", /unsafeBitCast|unsafelyUnwrapped/),
        ]
    }

    /// The text without comments and string literals. Each line keeps its number.
    static func bare(_ source: String) -> String {
        var result = ""
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            var inString = false
            var previous: Character = " "
            var kept = ""
            for character in line {
                if character == "\"" && previous != "\\" { inString.toggle() }
                if !inString, character == "/", previous == "/" {
                    kept.removeLast()
                    break
                }
                kept.append(inString ? " " : character)
                previous = character
            }
            result += kept + "\n"
        }
        return result
    }
}
