/// Makes mangled function names readable.
///
/// The Swift runtime's own demangler is not used. The sandboxed program chose the name, and six more bytes of a
/// mangled name double the demangler's output. So a name could make the output huge. This code reads only the path of
/// names at the beginning of a Swift symbol, in one pass. The path consists of the module, the types and the
/// function. This code skips the argument types and everything after them.
package enum SymbolName {
    /// The longest result in bytes.
    package static let limit = 256

    /// Returns `main.Shout.run` for `$s4main5ShoutV3runyyF`. Returns any name that is no Swift symbol unchanged.
    package static func readable(_ symbol: [UInt8]) -> [UInt8] {
        let prefixes = ["$s", "_$s", "$S"].map { Array($0.utf8) }
        guard let prefix = prefixes.first(where: { symbol.starts(with: $0) }) else { return symbol }
        var reader = SymbolReader(symbol.dropFirst(prefix.count))
        let names = reader.names()
        return names.isEmpty ? symbol : Array(names.joined(separator: [UInt8(ascii: ".")]).prefix(limit))
    }

    /// The types of the standard library that the mangling abbreviates to one letter.
    static let known: [UInt8: String] = [
        UInt8(ascii: "S"): "Swift.String", UInt8(ascii: "i"): "Swift.Int", UInt8(ascii: "a"): "Swift.Array",
        UInt8(ascii: "b"): "Swift.Bool", UInt8(ascii: "D"): "Swift.Dictionary", UInt8(ascii: "d"): "Swift.Double",
        UInt8(ascii: "h"): "Swift.Set", UInt8(ascii: "q"): "Swift.Optional", UInt8(ascii: "u"): "Swift.UInt",
        UInt8(ascii: "s"): "Swift.Substring", UInt8(ascii: "J"): "Swift.Character",
    ]
}

/// Reads the path of names at the beginning of a mangled symbol in one pass. It reads each byte once.
struct SymbolReader {
    /// A part of the symbol to which later parts can refer by number.
    private enum Entry {
        case name([UInt8])
        /// The whole path of a module or type. The entry exists only to keep the numbers of later entries right.
        /// References to it are not read.
        case type
    }

    private var rest: ArraySlice<UInt8>
    /// Words of earlier names. Later names can refer to each word by a letter.
    private var words: [ArraySlice<UInt8>] = []
    private var entries: [Entry] = []
    private var found: [[UInt8]] = []
    /// How many of the names in `found` are the module and the types that contain the next name.
    private var context = 0

    private static let mostNames = 16
    private static let mostEntries = 64

    /// - Parameter symbol: the symbol without its mangling prefix.
    init(_ symbol: ArraySlice<UInt8>) {
        rest = symbol
    }

    /// Returns the module, the types and the function. The labels of arguments follow the function's name and look like
    /// names, so they are cut off.
    mutating func names() -> [[UInt8]] {
        while found.count < Self.mostNames, parseName() || parseKind() || parseDiscriminator() {}
        return Array(found.prefix(max(context, 1) + 1))
    }

    private mutating func parseName() -> Bool {
        guard let first = rest.first else { return false }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            guard let name = identifier() else { return false }
            found.append(name)
            add(.name(name))
        case UInt8(ascii: "A"): return parseEarlier()
        case UInt8(ascii: "s") where found.isEmpty:
            found.append(Array("Swift".utf8))
            rest = rest.dropFirst()
        case UInt8(ascii: "S") where found.isEmpty:
            guard let name = SymbolName.known[rest.dropFirst().first ?? 0] else { return false }
            found.append(Array(name.utf8))
            context = 1
            rest = rest.dropFirst(2)
        default: return false
        }
        return true
    }

    /// Reads the kind of the preceding name: class, structure, enumeration, protocol or extension.
    private mutating func parseKind() -> Bool {
        switch rest.first {
        case UInt8(ascii: "C"), UInt8(ascii: "V"), UInt8(ascii: "O"), UInt8(ascii: "P"):
            guard !found.isEmpty else { return false }
            add(.type)
        // The name of the extending module comes before this letter. This name is no part of the path.
        case UInt8(ascii: "E"):
            guard found.count > context, context > 0 else { return false }
            found.removeLast()
        default: return false
        }
        context = found.count
        rest = rest.dropFirst()
        return true
    }

    /// Skips the second name of a declaration. This name marks the declaration as private to a file.
    private mutating func parseDiscriminator() -> Bool {
        guard rest.starts(with: Array("LL".utf8)), found.count > context + 1 else { return false }
        found.removeLast()
        rest = rest.dropFirst(2)
        return true
    }

    /// Reads references to earlier names: `A`, then one letter for each reference. A capital letter marks the last
    /// reference.
    private mutating func parseEarlier() -> Bool {
        rest = rest.dropFirst()
        while let letter = rest.first, found.count < Self.mostNames {
            let isLast = letter >= UInt8(ascii: "A") && letter <= UInt8(ascii: "Z")
            guard isLast || letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z") else { return false }
            let index = Int(letter &- (isLast ? UInt8(ascii: "A") : UInt8(ascii: "a")))
            guard index < entries.count, case .name(let name) = entries[index] else { return false }
            found.append(name)
            rest = rest.dropFirst()
            if isLast { return true }
        }
        return false
    }

    private mutating func add(_ entry: Entry) {
        if entries.count < Self.mostEntries { entries.append(entry) }
    }

    /// Reads an identifier: a length, then that many bytes. An identifier that begins with `0` can consist of several
    /// such parts. It can also contain letters that each stand for a word of an earlier name.
    private mutating func identifier() -> [UInt8]? {
        var hasWords = false
        if rest.first == UInt8(ascii: "0") {
            rest = rest.dropFirst()
            // Names outside ASCII have their own encoding, which this code does not read.
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

    /// Keeps the words of a name for later references. A word ends before an underscore, or before a capital letter
    /// that follows no capital letter.
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
