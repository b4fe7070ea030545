/// Names of functions made readable.
///
/// The runtime's own demangler is not used: six bytes more of a mangled name double what it prints, and the program
/// that is asked about wrote the name. This reads the path of names at a Swift symbol's beginning, module, types and
/// function, in one pass, and leaves types of arguments and everything else away.
package enum SymbolName {
    /// Most bytes of an answer.
    package static let limit = 256

    /// `main.Shout.run` for `$s4main5ShoutV3runyyF`; any other name as it is.
    package static func readable(_ symbol: [UInt8]) -> [UInt8] {
        let prefixes = ["$s", "_$s", "$S"].map { Array($0.utf8) }
        guard let prefix = prefixes.first(where: { symbol.starts(with: $0) }) else { return symbol }
        var reader = Reader(rest: symbol.dropFirst(prefix.count))
        let names = reader.names()
        return names.isEmpty ? symbol : Array(names.joined(separator: [UInt8(ascii: ".")]).prefix(limit))
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>
        /// Parts of earlier names that later ones refer to by letter.
        var words: [ArraySlice<UInt8>] = []

        mutating func names() -> [[UInt8]] {
            var found: [[UInt8]] = []
            while let byte = rest.first, found.count < 16 {
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"):
                    guard let name = identifier() else { return found }
                    found.append(name)
                // Class, structure, enumeration, protocol, extension: what came before is one of these.
                case UInt8(ascii: "C"), UInt8(ascii: "V"), UInt8(ascii: "O"), UInt8(ascii: "P"), UInt8(ascii: "E"):
                    guard !found.isEmpty else { return found }
                    rest = rest.dropFirst()
                case UInt8(ascii: "s") where found.isEmpty:
                    found.append(Array("Swift".utf8))
                    rest = rest.dropFirst()
                case UInt8(ascii: "S") where found.isEmpty:
                    guard let name = SymbolName.known[rest.dropFirst().first ?? 0] else { return found }
                    found.append(Array(name.utf8))
                    rest = rest.dropFirst(2)
                default: return found
                }
            }
            return found
        }

        /// A length and so many bytes; after `0`, letters that stand for earlier words in between.
        private mutating func identifier() -> [UInt8]? {
            var hasWords = false
            if rest.first == UInt8(ascii: "0") {
                rest = rest.dropFirst()
                // Names beyond ASCII come in an encoding of their own.
                guard rest.first != UInt8(ascii: "0") else { return nil }
                hasWords = true
            }
            var name: [UInt8] = []
            repeat {
                while hasWords, let (word, isLast) = word() {
                    name += word
                    hasWords = !isLast
                    if name.count > SymbolName.limit { return nil }
                }
                if rest.first == UInt8(ascii: "0") {
                    rest = rest.dropFirst()
                    break
                }
                guard let length = length(), length > 0, length <= rest.count else { return nil }
                let part = rest.prefix(length)
                keepWords(of: part)
                name += part
                rest = rest.dropFirst(length)
            } while hasWords && name.count <= SymbolName.limit
            return name
        }

        private mutating func word() -> (ArraySlice<UInt8>, isLast: Bool)? {
            guard let letter = rest.first else { return nil }
            let isLast = letter >= UInt8(ascii: "A") && letter <= UInt8(ascii: "Z")
            guard isLast || letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z") else { return nil }
            let index = Int(letter &- (isLast ? UInt8(ascii: "A") : UInt8(ascii: "a")))
            guard index < words.count else { return nil }
            rest = rest.dropFirst()
            return (words[index], isLast)
        }

        private mutating func length() -> Int? {
            let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            guard digits.count <= 4, let value = NumberText.decimal(digits) else { return nil }
            rest = rest.dropFirst(digits.count)
            return Int(value)
        }

        /// A word ends before a capital that follows no capital, and before a line.
        private mutating func keepWords(of part: ArraySlice<UInt8>) {
            var start: Int?
            for index in part.startIndex...part.endIndex {
                let byte = index < part.endIndex ? part[index] : 0
                if let begun = start, Self.isEnd(byte, after: part[index - 1]) {
                    if index - begun >= 2, words.count < 26 { words.append(part[begun..<index]) }
                    start = nil
                }
                let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
                if start == nil, !isDigit, byte != UInt8(ascii: "_"), byte != 0 { start = index }
            }
        }

        private static func isEnd(_ byte: UInt8, after previous: UInt8) -> Bool {
            byte == UInt8(ascii: "_") || byte == 0 || (isCapital(byte) && !isCapital(previous))
        }

        private static func isCapital(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
    }

    /// The standard library's types that have a letter of their own.
    private static let known: [UInt8: String] = [
        UInt8(ascii: "S"): "Swift.String", UInt8(ascii: "i"): "Swift.Int", UInt8(ascii: "a"): "Swift.Array",
        UInt8(ascii: "b"): "Swift.Bool", UInt8(ascii: "D"): "Swift.Dictionary", UInt8(ascii: "d"): "Swift.Double",
        UInt8(ascii: "h"): "Swift.Set", UInt8(ascii: "q"): "Swift.Optional", UInt8(ascii: "u"): "Swift.UInt",
        UInt8(ascii: "s"): "Swift.Substring", UInt8(ascii: "J"): "Swift.Character",
    ]
}
