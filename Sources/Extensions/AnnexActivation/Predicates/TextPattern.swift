/// A pattern of LIKE or MATCHES. The time of a match is linear in the length of the text.
///
/// The pattern is a small program. A run follows all branches of the program at the same time, byte by byte. So no
/// pattern can make the run go back in the text.
struct TextPattern: Sendable {
    /// A step of the program. The numbers of branches and jumps are distances in steps.
    enum Step: Sendable {
        case take(ByteSet)
        case branch(Int, Int)
        case jump(Int)
        case end
    }

    /// Why a pattern of MATCHES cannot be used.
    struct Fault: Error {
        /// The place in the pattern, in bytes from 0.
        let offset: Int
        let what: String
        let remedy: String
    }

    private let steps: [Step]
    private let ignoresCase: Bool

    /// The most steps of a pattern.
    static let mostSteps = 1_024

    /// Creates a pattern of LIKE. In it, `?` stands for any character, and `*` for any number of characters. Names of types
    /// are ASCII, so a character is a byte.
    init(wildcards text: String, ignoringCase: Bool) {
        var steps: [Step] = []
        var last: UInt8?
        for byte in (ignoringCase ? text.lowercased() : text).utf8 {
            defer { last = byte }
            // Several stars in a row mean the same as one star, but would need more steps.
            if byte == UInt8(ascii: "*"), last == byte { continue }
            switch byte {
            case UInt8(ascii: "*"): steps += [.branch(1, 3), .take(.all), .jump(-2)]
            case UInt8(ascii: "?"): steps.append(.take(.all))
            default: steps.append(.take(ByteSet([byte])))
            }
        }
        self.steps = steps + [.end]
        ignoresCase = ignoringCase
    }

    /// Creates a pattern of MATCHES, which must match the whole text. It may use characters, `.`, sets, groups, `|`,
    /// `*`, `+` and `?`.
    init(expression text: String, ignoringCase: Bool) throws(Fault) {
        var reader = ExpressionReader(Array(text.utf8), ignoringCase: ignoringCase)
        steps = try reader.expression() + [.end]
        ignoresCase = ignoringCase
    }

    /// The most steps of a run over the text. A run over the empty text takes steps too.
    func cost(for text: String) -> Int { (text.utf8.count + 1) * steps.count }

    /// Whether the pattern matches the whole text.
    func matches(_ text: String) -> Bool {
        var marks = [Int](repeating: -1, count: steps.count)
        var now: [Int] = []
        follow(0, at: 0, marks: &marks, into: &now)
        var position = 0
        for byte in (ignoresCase ? text.lowercased() : text).utf8 {
            position += 1
            var next: [Int] = []
            for place in now {
                if case .take(let set) = steps[place], set.contains(byte) {
                    follow(place + 1, at: position, marks: &marks, into: &next)
                }
            }
            if next.isEmpty { return false }
            now = next
        }
        return now.contains { if case .end = steps[$0] { true } else { false } }
    }

    /// Adds to `found` all places in the program that a run reaches from a place without reading a byte. At each
    /// position of the text, each place is added only once.
    private func follow(_ place: Int, at position: Int, marks: inout [Int], into found: inout [Int]) {
        var open = [place]
        while let place = open.popLast() {
            guard steps.indices.contains(place), marks[place] != position else { continue }
            marks[place] = position
            switch steps[place] {
            case .branch(let one, let other): open += [place + other, place + one]
            case .jump(let distance): open.append(place + distance)
            case .take, .end: found.append(place)
            }
        }
    }
}

/// A set of bytes. It contains either all bytes that are not ASCII, or none of them.
struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var hasOthers = false

    static let all = ByteSet([]).inverted

    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { insert(byte) }
    }

    mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 128 { high |= 1 << UInt64(byte - 64) }
    }

    mutating func formUnion(_ other: ByteSet) {
        low |= other.low
        high |= other.high
        hasOthers = hasOthers || other.hasOthers
    }

    var inverted: ByteSet {
        var set = self
        set.low = ~low
        set.high = ~high
        set.hasOthers = !hasOthers
        return set
    }

    func contains(_ byte: UInt8) -> Bool {
        if byte < 64 { return low >> UInt64(byte) & 1 == 1 }
        return byte < 128 ? high >> UInt64(byte - 64) & 1 == 1 : hasOthers
    }
}
