/// Makes mangled function names readable.
///
/// The runtime's own demangler is not used: six more bytes of a mangled name double its output, and the sandboxed
/// program wrote the name. This code reads the path of names at the beginning of a Swift symbol in one pass: module,
/// types and function. It skips argument types and the rest.
package enum SymbolName {
    /// The longest result in bytes.
    package static let limit = 256

    /// Returns `main.Shout.run` for `$s4main5ShoutV3runyyF`, and any other name unchanged.
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
