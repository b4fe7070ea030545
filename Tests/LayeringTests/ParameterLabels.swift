/// The functions of a source text that have more than one parameter without a label.
///
/// A closure or a list of values (`_ tries: Try...`) at the end does not count, because Swift's own library also omits
/// its label.
struct ParameterLabels {
    /// The functions that break the rule, as they appear in the text.
    let faults: [String]
    /// The number of functions and initialisers that were read.
    let count: Int

    init(in text: String) {
        var faults: [String] = []
        var count = 0
        for match in text.matches(of: /(?m)^(?! *\/\/)[^"\n]*?\b(?:func [`\w]+|init[?!]?|subscript)(?:<[^(]*?>)?\(/) {
            let parameters = Self.parameters(of: text[match.range.upperBound...])
            count += 1
            let unlabelled = parameters.filter { $0.hasPrefix("_ ") }
            let counted = unlabelled.count - (parameters.last.map(Self.mayStayUnlabelled) == true ? 1 : 0)
            if counted > 1 { faults.append("\(match.0.drop { $0 == " " })\(parameters.joined(separator: ", ")))") }
        }
        self.faults = faults
        self.count = count
    }

    private static func mayStayUnlabelled(_ last: String) -> Bool {
        last.hasPrefix("_ ") && (last.contains("->") || last.hasSuffix("..."))
    }

    /// The parameters of the list that the text begins with, after its opening parenthesis.
    private static func parameters(of text: Substring) -> [String] {
        var depth = 0
        var list = [""]
        var before: Character = " "
        for character in text {
            switch character {
            case "(", "[", "{", "<": depth += 1
            case ">" where before == "-": break
            case ")" where depth == 0: return list.map(Self.trimmed).filter { !$0.isEmpty }
            case ")", "]", "}", ">": depth -= 1
            default: break
            }
            if character == ",", depth == 0 { list.append("") } else { list[list.count - 1].append(character) }
            before = character
        }
        return []
    }

    /// The parameter on one line, without its attributes.
    private static func trimmed(_ parameter: String) -> String {
        let words = parameter.split { $0 == " " || $0 == "\n" }
        return words.drop { $0.hasPrefix("@") }.joined(separator: " ")
    }
}
