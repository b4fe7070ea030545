/// The names of the tests in a Swift file, and which of these names break the house style.
///
/// The name of a test is a raw identifier: a sentence between backticks, without a separate display name. The sentence
/// has no quotes, dots, slashes or parentheses, so that `--filter` can name the test without escapes.
struct TestNames {
    private(set) var names: [String] = []
    private(set) var faults: [String] = []

    /// Matches a line that declares the function of a test. The line may have the whole attribute, only its end, or no
    /// attribute before `func`.
    private static var declaration: Regex<(Substring, Substring)> {
        /(?:@Test(?:\(.*\))? |[\])}]+ )?(?:[@\w]+ )*func (.+)/
    }

    init(in text: String) {
        if text.contains(/@Test\(\s*#*"/) { faults.append("a test with a display name") }
        var awaitsFunction = false
        for line in text.split(separator: "\n").map({ $0.drop { $0 == " " } }) {
            if line.hasPrefix("@Test") {
                if awaitsFunction { faults.append("a test without a function") }
                awaitsFunction = true
            }
            guard awaitsFunction, let match = line.prefixMatch(of: Self.declaration) else { continue }
            awaitsFunction = false
            add(String(match.1))
        }
        if awaitsFunction { faults.append("a test without a function") }
    }

    /// - Parameter declaration: the rest of a line after `func`.
    private mutating func add(_ declaration: String) {
        if let match = declaration.prefixMatch(of: /`([^`.\/\\()"']+)`[(<]/) {
            names.append(String(match.1))
        } else {
            faults.append(declaration)
        }
    }
}
