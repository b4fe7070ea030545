/// The answers of the program in the sandbox. The program may be hostile, so this type checks every bound when it reads
/// the answers. An answer proves only that a program in the sandbox wrote it to the pipe.
package struct TrialAnswers: Sendable, Hashable {
    /// The number of times that the program began. It is two if the program executed itself again.
    package private(set) var beginnings = 0
    /// Whether the program ran at all.
    package var hasBegun: Bool { beginnings > 0 }
    /// The result of each step, or -errno. If the program did not survive a step, the step has no result.
    package private(set) var results: [Int: Int64] = [:]
    /// The bytes that steps reported.
    package private(set) var reported: [Int: [UInt8]] = [:]

    static let begun = UInt32.max
    static let header = 16

    package init() {}

    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let answer = Self.parse(&rest) {
            if answer.step == Self.begun {
                beginnings += 1
            } else {
                results[Int(answer.step)] = answer.result
                if !answer.bytes.isEmpty { reported[Int(answer.step)] = Array(answer.bytes) }
            }
        }
    }

    private static func parse(
        _ rest: inout ArraySlice<UInt8>
    ) -> (step: UInt32, result: Int64, bytes: ArraySlice<UInt8>)? {
        guard rest.count >= header else { return nil }
        let head = rest.prefix(header)
        let step = UInt32(truncatingIfNeeded: word(head.prefix(4)))
        let length = Int(word(head.dropFirst(4).prefix(4)))
        let result = Int64(bitPattern: word(head.dropFirst(8)))
        rest = rest.dropFirst(header)
        guard length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return (step, result, rest.prefix(length))
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The errno of a step that failed; nil if the step succeeded or was not reached.
    package func errno(_ step: Int) -> Int32? {
        guard let result = results[step], result < 0 else { return nil }
        return Int32(clamping: -result)
    }

    /// Whether a step was done and succeeded.
    package func succeeded(_ step: Int) -> Bool { results[step].map { $0 >= 0 } ?? false }
}
