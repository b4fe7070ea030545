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
        var reader = SymbolReader(symbol.dropFirst(prefix.count))
        let names = reader.names()
        return names.isEmpty ? symbol : Array(names.joined(separator: [UInt8(ascii: ".")]).prefix(limit))
    }

    /// The standard library's types that have a letter of their own.
    static let known: [UInt8: String] = [
        UInt8(ascii: "S"): "Swift.String", UInt8(ascii: "i"): "Swift.Int", UInt8(ascii: "a"): "Swift.Array",
        UInt8(ascii: "b"): "Swift.Bool", UInt8(ascii: "D"): "Swift.Dictionary", UInt8(ascii: "d"): "Swift.Double",
        UInt8(ascii: "h"): "Swift.Set", UInt8(ascii: "q"): "Swift.Optional", UInt8(ascii: "u"): "Swift.UInt",
        UInt8(ascii: "s"): "Swift.Substring", UInt8(ascii: "J"): "Swift.Character",
    ]
}
