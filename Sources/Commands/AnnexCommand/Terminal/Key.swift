/// An action of a user at the keyboard or with the mouse of a terminal.
enum Key: Sendable, Hashable {
    /// A printable character of ASCII.
    case character(Character)
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, tab, escape, backspace
    /// Control-C.
    case interrupt
    /// Control-Z.
    case suspend
    /// The left button was pressed. Columns and rows count from 0.
    case click(column: Int, row: Int)
    case wheelUp, wheelDown
}

/// Converts the bytes that a terminal sends to keys. Unknown sequences are left out.
struct KeyReader: Sendable {
    private static let escape: UInt8 = 0x1B
    /// The longest sequence, in bytes. No terminal sends a longer one.
    private static let longest = 32
    /// The numbers of columns and rows that are accepted. No terminal has more.
    private static let places = 1...10_000

    /// The bytes of a sequence that is not complete yet.
    private var begun: [UInt8] = []

    /// Whether a sequence has begun. If only its first byte has arrived, the user may also have pressed the escape key,
    /// which sends only this byte.
    var isWaiting: Bool { !begun.isEmpty }

    /// Call this function if no more bytes have arrived for a while. The bytes in `begun` are then not a sequence.
    mutating func giveUp() -> Key? {
        defer { begun = [] }
        return begun == [Self.escape] ? .escape : nil
    }

    /// - Parameter bytes: the bytes of one read.
    mutating func keys(of bytes: [UInt8]) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            if begun.isEmpty {
                if byte == Self.escape { begun = [byte] } else if let key = Self.key(byte) { keys.append(key) }
            } else if let key = sequence(byte) {
                keys.append(key)
            }
        }
        return keys
    }

    private static func key(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x03: .interrupt
        case 0x1A: .suspend
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"): .enter
        case UInt8(ascii: "\t"): .tab
        case 0x08, 0x7F: .backspace
        case 0x20...0x7E: .character(Character(Unicode.Scalar(byte)))
        default: nil
        }
    }

    /// - Returns: the key if this byte ends a sequence with a known key; otherwise nil.
    private mutating func sequence(_ byte: UInt8) -> Key? {
        begun.append(byte)
        let isIntroduced = begun.count > 2 && (begun[1] == UInt8(ascii: "[") || begun[1] == UInt8(ascii: "O"))
        let isOver = isIntroduced ? (0x40...0x7E).contains(byte) : begun.count == 2 && !"[O".utf8.contains(byte)
        guard isOver || begun.count >= Self.longest else { return nil }
        defer { begun = [] }
        guard isIntroduced, isOver else { return nil }
        let middle = begun[2..<begun.count - 1]
        if middle.first == UInt8(ascii: "<") {
            return Self.mouse(middle.dropFirst(), isPress: byte == UInt8(ascii: "M"))
        }
        return Self.named(byte, behind: middle)
    }

    private static func named(_ last: UInt8, behind middle: ArraySlice<UInt8>) -> Key? {
        switch (last, middle.first) {
        case (UInt8(ascii: "A"), _): .up
        case (UInt8(ascii: "B"), _): .down
        case (UInt8(ascii: "C"), _): .right
        case (UInt8(ascii: "D"), _): .left
        case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), UInt8(ascii: "1")): .home
        case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), UInt8(ascii: "4")): .end
        case (UInt8(ascii: "~"), UInt8(ascii: "5")): .pageUp
        case (UInt8(ascii: "~"), UInt8(ascii: "6")): .pageDown
        default: nil
        }
    }

    /// `ESC [ < button ; column ; row M`, counted from 1 (xterm's SGR mode).
    private static func mouse(_ text: ArraySlice<UInt8>, isPress: Bool) -> Key? {
        let numbers = text.split(separator: UInt8(ascii: ";")).map { Int(String(decoding: $0, as: UTF8.self)) }
        guard isPress, numbers.count == 3, let button = numbers[0], let column = numbers[1], let row = numbers[2],
            places.contains(column), places.contains(row)
        else { return nil }
        switch button {
        case 0: return .click(column: column - 1, row: row - 1)
        case 64: return .wheelUp
        case 65: return .wheelDown
        default: return nil
        }
    }
}
