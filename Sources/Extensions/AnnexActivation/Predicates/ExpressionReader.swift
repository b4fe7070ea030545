internal import AnnexLinux

/// Reads a pattern of MATCHES and converts it into the steps of a `TextPattern`.
struct ExpressionReader {
    typealias Step = TextPattern.Step

    private let bytes: [UInt8]
    private let ignoresCase: Bool
    private var place = 0
    private var depth = 0
    private var size = 0

    private static let deepest = 32

    init(_ bytes: [UInt8], ignoringCase: Bool) {
        self.bytes = bytes
        ignoresCase = ignoringCase
    }

    mutating func expression() throws(TextPattern.Fault) -> [Step] {
        // The pattern must always match the whole text, so anchors at its start and end have no effect.
        if next == UInt8(ascii: "^") { place += 1 }
        let steps = try alternatives()
        if next == UInt8(ascii: "$"), place == bytes.count - 1 { place += 1 }
        guard next == nil else { throw fault("\(shown) has no meaning here", remedy: "write a backslash before it") }
        return steps
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private var shown: String { Escaped(quoting: bytes[min(place, bytes.count)...].prefix(1)).description }

    private func fault(_ what: String, remedy: String) -> TextPattern.Fault {
        TextPattern.Fault(offset: place, what: "in the pattern, \(what)", remedy: remedy)
    }

    private mutating func count(_ more: Int) throws(TextPattern.Fault) {
        size += more
        guard size <= TextPattern.mostSteps else {
            throw fault("there are more than \(TextPattern.mostSteps) steps", remedy: "shorten it")
        }
    }

    private mutating func alternatives() throws(TextPattern.Fault) -> [Step] {
        guard depth < Self.deepest else {
            throw fault("groups are nested deeper than \(Self.deepest)", remedy: "remove brackets")
        }
        depth += 1
        defer { depth -= 1 }
        var all = [try sequence()]
        while next == UInt8(ascii: "|") {
            place += 1
            // Each further alternative needs one branch and one jump.
            try count(2)
            all.append(try sequence())
        }
        // The alternatives are joined from the last to the first, because each alternative jumps over all alternatives
        // after it.
        return all.dropLast().reversed().reduce(all.last ?? []) { rest, one in
            [.branch(1, one.count + 2)] + one + [.jump(rest.count + 1)] + rest
        }
    }

    private mutating func sequence() throws(TextPattern.Fault) -> [Step] {
        var steps: [Step] = []
        while let byte = next, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
            if byte == UInt8(ascii: "$"), place == bytes.count - 1 { break }
            let one = repeated(try atom())
            // An atom, such as a character, a set or a group, may have one sign of repetition. The repetition adds at
            // most two steps. Four steps are counted for each atom, so the count is never too low.
            try count(4)
            steps += one
        }
        return steps
    }

    private mutating func repeated(_ atom: [Step]) -> [Step] {
        switch next {
        case UInt8(ascii: "*"):
            place += 1
            return [.branch(1, atom.count + 2)] + atom + [.jump(-atom.count - 1)]
        case UInt8(ascii: "+"):
            place += 1
            return atom + [.branch(-atom.count, 1)]
        case UInt8(ascii: "?"):
            place += 1
            return [.branch(1, atom.count + 1)] + atom
        default: return atom
        }
    }

    private mutating func atom() throws(TextPattern.Fault) -> [Step] {
        switch next {
        case UInt8(ascii: "("): return try group()
        case UInt8(ascii: "["): return [.take(try set())]
        case UInt8(ascii: "."):
            place += 1
            return [.take(.all)]
        case UInt8(ascii: "\\"): return [.take(try escape())]
        case .some(let byte) where !"*+?{}]^$".utf8.contains(byte):
            place += 1
            return [.take(folded([byte]))]
        default: throw fault("\(shown) has no meaning here", remedy: "use . [ ] ( ) | * + ? only, or a backslash")
        }
    }

    private func folded(_ bytes: [UInt8]) -> ByteSet {
        guard ignoresCase else { return ByteSet(bytes) }
        return ByteSet(String(decoding: bytes, as: UTF8.self).lowercased().utf8)
    }

    private mutating func group() throws(TextPattern.Fault) -> [Step] {
        place += 1
        guard next != UInt8(ascii: "?") else {
            throw fault("a group with ? is outside this language", remedy: "write a plain group")
        }
        let steps = try alternatives()
        guard next == UInt8(ascii: ")") else { throw fault("a group has no end", remedy: "close it with )") }
        place += 1
        return steps
    }

    /// `\d`, `\w`, `\s`, or a backslash before a sign.
    private mutating func escape() throws(TextPattern.Fault) -> ByteSet {
        place += 1
        guard let byte = next else { throw fault("a backslash ends it", remedy: "remove the backslash") }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let set: ByteSet
        switch byte {
        case UInt8(ascii: "d"): set = ByteSet(digits)
        case UInt8(ascii: "w"):
            set = ByteSet(
                Array(digits) + Array(UInt8(ascii: "a")...UInt8(ascii: "z"))
                    + Array(UInt8(ascii: "A")...UInt8(ascii: "Z"))
                    + [UInt8(ascii: "_")])
        case UInt8(ascii: "s"): set = ByteSet([0x20, 0x09, 0x0A, 0x0D])
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), digits:
            throw fault("a backslash before \(shown) is outside this language", remedy: "use \\d, \\w or \\s")
        default: set = ByteSet([byte])
        }
        place += 1
        return set
    }

    /// `[a-z.]` or `[^a-z]`.
    private mutating func set() throws(TextPattern.Fault) -> ByteSet {
        place += 1
        let isInverted = next == UInt8(ascii: "^")
        if isInverted { place += 1 }
        var set = ByteSet([])
        var isEmpty = true
        while let byte = next, byte != UInt8(ascii: "]") {
            isEmpty = false
            if byte == UInt8(ascii: "\\") {
                set.formUnion(try escape())
                continue
            }
            place += 1
            guard next == UInt8(ascii: "-"), place + 1 < bytes.count, bytes[place + 1] != UInt8(ascii: "]") else {
                set.formUnion(folded([byte]))
                continue
            }
            let last = bytes[place + 1]
            guard byte <= last else { throw fault("a range of a set is empty", remedy: "write the lower end first") }
            place += 2
            set.formUnion(folded(Array(byte...last)))
        }
        guard next == UInt8(ascii: "]"), !isEmpty else {
            throw fault("a set has no end or no member", remedy: "close it with ]")
        }
        place += 1
        return isInverted ? set.inverted : set
    }
}
