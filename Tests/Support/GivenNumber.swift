import Glibc

/// A number that the environment gives to a test, such as the length of a long run.
package enum GivenNumber {
    /// - Returns: nil if there is no such variable. If its value is not such a number, the process ends: a long run that
    ///   silently became a short one would seem to have passed.
    package static func of<Number: FixedWidthInteger>(_ variable: String) -> Number? {
        guard let text = getenv(variable).map({ String(cString: $0) }) else { return nil }
        guard let number = Number(text), number >= 0 else {
            fatalError("\(variable) must be a whole number, and is \"\(text)\"")
        }
        return number
    }
}
