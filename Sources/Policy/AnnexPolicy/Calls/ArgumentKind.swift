/// The kind of a system call's argument: how many bits the kernel reads, how the value is shown, and the names of its
/// values.
package struct ArgumentKind: Sendable, Hashable {
    /// How a value is written in a report.
    package enum Style: Sendable, Hashable {
        case signed, unsigned, hexadecimal, octal, pointer
        /// Exactly one of the constants.
        case one
        /// Joined constants. `choice` masks the bits that together hold one value. It is 0 if the kind has no such
        /// bits.
        case flags(choice: UInt64)
    }

    /// A named value.
    package struct Constant: Sendable, Hashable {
        package let name: String
        package let value: UInt64
    }

    package let name: String
    /// The number of bits that the kernel reads. The number is 32 if the kernel ignores the register's upper half. In
    /// that case, no comparison may depend on this half.
    package let bits: Int
    package let style: Style
    package let constants: [Constant]

    /// The kind of each register of a call whose arguments have no names.
    package static let register = ArgumentKind(name: "hex", bits: 64, style: .hexadecimal, constants: [])

    /// The same kind, but with all 64 bits of the register.
    package var whole: ArgumentKind { ArgumentKind(name: name, bits: 64, style: style, constants: constants) }

    /// The bits that the kernel reads.
    package var mask: UInt64 { bits == 32 ? 0xFFFF_FFFF : .max }

    package func value(named name: String) -> UInt64? {
        constants.first { $0.name == name }?.value
    }
}

extension ArgumentKind {
    /// Reads one line of the table of kinds (`ArgumentKind.table`); nil if the line has another form.
    init?(line: Substring, architecture: Architecture) {
        let words = line.parts(between: .space)
        guard words.count >= 3, let bits = Int(words[1]), bits == 32 || bits == 64 else { return nil }
        guard let style = Style(word: words[2]) else { return nil }
        var constants: [Constant] = []
        for word in words.dropFirst(3) {
            guard let constant = Constant(word: word, architecture: architecture) else { return nil }
            constants.append(constant)
        }
        self.init(name: String(words[0]), bits: bits, style: style, constants: constants)
    }
}

extension ArgumentKind.Style {
    fileprivate init?(word: Substring) {
        switch word {
        case "signed": self = .signed
        case "unsigned": self = .unsigned
        case "hex": self = .hexadecimal
        case "octal": self = .octal
        case "pointer": self = .pointer
        case "one": self = .one
        case "flags": self = .flags(choice: 0)
        default:
            guard word.hasPrefix("mixed:"), let choice = UInt64(word.dropFirst(6)) else { return nil }
            self = .flags(choice: choice)
        }
    }
}

extension ArgumentKind.Constant {
    fileprivate init?(word: Substring, architecture: Architecture) {
        let sides = word.parts(between: UInt8(ascii: "="))
        guard sides.count == 2 else { return nil }
        let values = sides[1].parts(between: UInt8(ascii: "/"))
        guard let first = values.first, let last = values.last, values.count <= 2 else { return nil }
        guard let value = WholeNumber.parse(architecture == .x86 ? first : last) else { return nil }
        self.init(name: String(sides[0]), value: value)
    }
}
