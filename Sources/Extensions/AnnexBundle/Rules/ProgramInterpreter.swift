internal import AnnexLinux

/// The interpreter that an ELF program asks the kernel for. A dynamically linked program names the dynamic linker.
enum ProgramInterpreter {
    /// The most program headers that are read; linkers write about a dozen.
    private static let mostHeaders = 64
    /// The longest path of an interpreter, in bytes.
    private static let longestPath = 256
    /// `PT_INTERP`.
    private static let kind: UInt32 = 3
    private static let headerSize = 56

    /// The path of the program's interpreter.
    ///
    /// - Returns: nil if the program names no interpreter.
    static func path(in program: borrowing Descriptor) throws(SystemError) -> String? {
        let start = try program.read(at: 0, count: 64)
        guard let place: UInt64 = number(start, at: 32), let size: UInt16 = number(start, at: 54), size == headerSize,
            let count: UInt16 = number(start, at: 56), place <= Int64.max
        else { return nil }
        let table = try program.read(at: Int64(place), count: min(Int(count), mostHeaders) * headerSize)
        for header in stride(from: 0, to: table.count, by: headerSize) {
            guard number(table, at: header) == kind, let offset: UInt64 = number(table, at: header + 8),
                let length: UInt64 = number(table, at: header + 32), offset <= Int64.max
            else { continue }
            let bytes = try program.read(at: Int64(offset), count: Int(min(length, UInt64(longestPath))))
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return nil
    }

    /// A little-endian number; nil if the bytes end before it.
    private static func number<Number: FixedWidthInteger>(_ bytes: [UInt8], at place: Int) -> Number? {
        let size = Number.bitWidth / 8
        guard place + size <= bytes.count else { return nil }
        return bytes[place..<place + size].reversed().reduce(0) { $0 << 8 | Number($1) }
    }
}
