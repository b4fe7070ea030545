// compile-program OUTPUT.swift TYPENAME FOLDER PROCESSOR,… CLANG ARGUMENT…
//
// Compiles a freestanding C program for each processor and writes a Swift file that carries the executables as bytes:
// `enum TYPENAME { static func file(_ processor: String) -> [UInt8]? }`. Each is read when it is asked for: whoever
// needs one does not pay for all.
//
// One command makes both, so that no executable is an output that SwiftPM sees: it takes those for resources, and
// resources make every program that embeds Annex carry Foundation and a directory beside it.
// The bytes stand as hexadecimal text, which the compiler takes in at once where it would chew on a list of numbers.

import Foundation

@main
enum CompileProgram {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 6 else { throw Failure("six arguments at least: see the head of this file") }
        let (output, type, folder) = (arguments[1], arguments[2], arguments[3])
        let entries = try arguments[4].split(separator: ",").map { processor in
            let program = "\(folder)/\(type)-\(processor)"
            try compile(for: processor, to: program, arguments[5], Array(arguments[6...]))
            let contents = try Data(contentsOf: URL(filePath: program))
            return "        case \"\(processor)\": bytes(\"\(hexadecimal(contents))\")\n"
        }
        try Data(source(type: type, entries: entries.joined()).utf8).write(to: URL(filePath: output))
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    static func compile(for processor: Substring, to program: String, _ clang: String, _ rest: [String]) throws {
        let compiler = Process()
        compiler.executableURL = URL(filePath: clang)
        compiler.arguments = ["--target=\(processor)-unknown-linux-gnu", "-o", program] + rest
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else {
            throw Failure("clang ended with \(compiler.terminationStatus) for \(processor)")
        }
    }

    static func hexadecimal(_ contents: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = contents.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    static func source(type: String, entries: String) -> String {
        """
        // Made by compile-program; changes belong into the C files it carries.
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
