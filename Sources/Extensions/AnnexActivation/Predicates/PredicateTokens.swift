internal import AnnexLinux

/// A token of a predicate: a word, a literal or a sign.
struct PredicateToken: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// A name or a keyword, such as `extensionItems`, `ANY` or `UTI-CONFORMS-TO`.
        case word(String)
        /// `$name`.
        case variable(String)
        /// `@count`.
        case operation(String)
        case number(Double)
        case text(String)
        case sign(String)
        case end
    }

    let kind: Kind
    let column: Int
    /// The places in a text at which the backslash of an escape was removed.
    var escapes: [Int] = []

    /// The column of a byte in the token's text.
    func column(ofByte offset: Int) -> Int {
        column + 1 + offset + escapes.count { $0 <= offset }
    }
}

/// Divides a predicate into tokens.
struct PredicateTokens {
    private let bytes: [UInt8]
    private var place = 0
    /// The places of the escapes in the token that is being read.
    private var escapes: [Int] = []

    /// The longest literal, in bytes.
    private static let longestText = 1_024
    private static let twoByteSigns = ["&&", "||", "==", "!=", "<>", "<=", ">=", "=<", "=>"]

    static func read(_ bytes: [UInt8]) throws(PredicateError) -> [PredicateToken] {
        var reader = PredicateTokens(bytes: bytes)
        var tokens: [PredicateToken] = []
        while true {
            let token = try reader.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private mutating func next() throws(PredicateError) -> PredicateToken {
        while let byte = byte(0), byte == 0x20 || (0x09...0x0D).contains(byte) { place += 1 }
        let column = place + 1
        guard let byte = byte(0) else { return PredicateToken(kind: .end, column: column) }
        let kind: PredicateToken.Kind
        escapes = []
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): kind = .text(try text(closedBy: byte))
        case UInt8(ascii: "$"):
            place += 1
            kind = .variable(try name(after: "$", column: column))
        case UInt8(ascii: "@"):
            place += 1
            kind = .operation(try name(after: "@", column: column))
        case _ where Self.isDigit(byte) || byte == UInt8(ascii: "-") && self.byte(1).map(Self.isDigit) == true:
            kind = .number(try number())
        case _ where Self.isLetter(byte): kind = .word(word())
        default: kind = .sign(try sign())
        }
        return PredicateToken(kind: kind, column: column, escapes: escapes)
    }

    private func byte(_ offset: Int) -> UInt8? {
        place + offset < bytes.count ? bytes[place + offset] : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private mutating func take(while holds: (UInt8) -> Bool) -> String {
        let start = place
        while let byte = byte(0), holds(byte) { place += 1 }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func name(after sign: String, column: Int) throws(PredicateError) -> String {
        guard let first = byte(0), Self.isLetter(first) else {
            throw PredicateError(column: column, what: "\(sign) has no name", remedy: "write \(sign) with a name")
        }
        return take { Self.isLetter($0) || Self.isDigit($0) }
    }

    private mutating func word() -> String {
        let word = take { Self.isLetter($0) || Self.isDigit($0) }
        // Only the operators on types have hyphens.
        guard word.uppercased() == "UTI", byte(0) == UInt8(ascii: "-") else { return word }
        return word + take { Self.isLetter($0) || $0 == UInt8(ascii: "-") }
    }

    private mutating func number() throws(PredicateError) -> Double {
        let column = place + 1
        let text = take { Self.isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        guard text.utf8.count <= 15, let value = Double(text) else {
            throw PredicateError(
                column: column, what: "\(Escaped(text, limit: 40)) is not a number", remedy: "write a whole number")
        }
        return value
    }

    private mutating func sign() throws(PredicateError) -> String {
        if let first = byte(0), let second = byte(1) {
            let two = String(decoding: [first, second], as: UTF8.self)
            if Self.twoByteSigns.contains(two) {
                place += 2
                return two
            }
        }
        let column = place + 1
        guard let first = byte(0), "()[]{},.=<>!".utf8.contains(first) else {
            throw PredicateError(
                column: column, what: "\(Escaped(quoting: bytes[place...].prefix(1))) has no meaning here",
                remedy: "use the words and signs of Docs/Guide/Hosts.md")
        }
        place += 1
        return String(decoding: [first], as: UTF8.self)
    }

    private mutating func text(closedBy quote: UInt8) throws(PredicateError) -> String {
        let start = place + 1
        place += 1
        var taken: [UInt8] = []
        while let byte = byte(0), byte != quote {
            guard (0x20...0x7E).contains(byte) else {
                throw PredicateError(
                    column: place + 1, what: "a text has a character that no type identifier has",
                    remedy: "use letters, digits, hyphens and dots")
            }
            // A backslash before a quotation mark or a backslash is an escape. Before other characters it stays in the
            // text, because the patterns of MATCHES need it.
            if byte == UInt8(ascii: "\\"), let next = self.byte(1), [quote, UInt8(ascii: "\\")].contains(next) {
                place += 1
                escapes.append(taken.count)
                taken.append(next)
            } else {
                taken.append(byte)
            }
            place += 1
        }
        guard byte(0) == quote else {
            throw PredicateError(column: start, what: "the text has no end", remedy: "close it with a quotation mark")
        }
        place += 1
        guard taken.count <= Self.longestText else {
            throw PredicateError(
                column: start, what: "the text is longer than \(Self.longestText) bytes", remedy: "shorten it")
        }
        return String(decoding: taken, as: UTF8.self)
    }
}
