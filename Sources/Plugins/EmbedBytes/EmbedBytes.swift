// embed-bytes OUTPUT.swift TYPENAME name=FILE…
//
// Writes a Swift file that carries files as bytes: `enum TYPENAME { static func file(_ name: String) -> [UInt8]? }`.
// Each is read when it is asked for: whoever needs one does not pay for all.
// Not SwiftPM resources: those make every program that embeds Annex carry Foundation and a directory beside it.
// The bytes stand as hexadecimal text, which the compiler takes in at once where it would chew on a list of numbers.

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@main
enum EmbedBytes {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4 else { throw Misuse() }
        var entries = ""
        for item in arguments.dropFirst(3) {
            guard let mark = item.firstIndex(of: "=") else { throw Misuse() }
            let contents = try Data(contentsOf: URL(filePath: String(item[item.index(after: mark)...])))
            entries += "        case \"\(item[..<mark])\": bytes(\"\(hexadecimal(contents))\")\n"
        }
        let text = source(type: arguments[2], entries: entries)
        try Data(text.utf8).write(to: URL(filePath: arguments[1]))
    }

    struct Misuse: Error {}

    static func hexadecimal(_ contents: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = contents.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    static func source(type: String, entries: String) -> String {
        """
        // Made by embed-bytes; changes belong into the files it carries.
        enum \(type) {
            static func file(_ name: String) -> [UInt8]? {
                switch name {
        \(entries)        default: nil
                }
            }

            private static func bytes(_ hexadecimal: StaticString) -> [UInt8] {
                var found: [UInt8] = []
                found.reserveCapacity(hexadecimal.utf8CodeUnitCount / 2)
                // SAFETY: a constant of this program's, read within its own bounds.
                hexadecimal.withUTF8Buffer { digits in
                    for place in stride(from: 0, to: digits.count, by: 2) {
                        unsafe found.append(value(digits[place]) << 4 | value(digits[place + 1]))
                    }
                }
                return found
            }

            private static func value(_ digit: UInt8) -> UInt8 { digit < 0x60 ? digit - 0x30 : digit - 0x57 }
        }

        """
    }
}
