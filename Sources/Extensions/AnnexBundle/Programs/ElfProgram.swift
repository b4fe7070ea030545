internal import AnnexLinux

/// The processor for which an ELF file is built.
enum ElfProcessor: Hashable, Comparable {
    case x86
    case aarch64
    case other(UInt16)

    /// The processors that Annex supports.
    static let supported: [ElfProcessor] = [.x86, .aarch64]

    #if arch(x86_64)
        static let own = ElfProcessor.x86
    #elseif arch(arm64)
        static let own = ElfProcessor.aarch64
    #endif

    /// - Parameter number: the machine number of an ELF header.
    init(number: UInt16) {
        switch number {
        case 62: self = .x86
        case 183: self = .aarch64
        default: self = .other(number)
        }
    }

    /// The directory of a bundle that holds programs for this processor; nil if Annex does not support the processor.
    var directory: String? {
        switch self {
        case .x86: "x86_64"
        case .aarch64: "aarch64"
        case .other: nil
        }
    }

    var name: String {
        switch self {
        case .x86: "x86-64"
        case .aarch64: "aarch64"
        case .other(3): "x86 (32 bits)"
        case .other(40): "ARM (32 bits)"
        case .other(243): "RISC-V"
        case .other(let number): "machine \(number)"
        }
    }
}

/// The headers of an ELF program. They may be forged, so each number is checked before use, and the reader reads few
/// bytes.
struct ElfProgram: Hashable {
    /// A program header. It describes a part of the file that the kernel must load, or a property of the program's
    /// memory.
    struct Segment: Hashable {
        static let (load, dynamic, interpreter, stack) = (UInt32(1), UInt32(2), UInt32(3), UInt32(0x6474_E551))

        let kind: UInt32
        private let flags: UInt32
        let offset: UInt64
        let address: UInt64
        /// The bytes in the file.
        let size: UInt64

        var isExecutable: Bool { flags & 1 != 0 }
        var isWritable: Bool { flags & 2 != 0 }

        fileprivate init?(_ bytes: LittleEndianBytes, at place: Int) {
            guard let kind: UInt32 = bytes.number(at: place), let flags: UInt32 = bytes.number(at: place + 4),
                let offset: UInt64 = bytes.number(at: place + 8), let address: UInt64 = bytes.number(at: place + 16),
                let size: UInt64 = bytes.number(at: place + 32)
            else { return nil }
            self.kind = kind
            self.flags = flags
            self.offset = offset
            self.address = address
            self.size = size
        }

        fileprivate static let bytes = 56
    }

    let processor: ElfProcessor
    let segments: [Segment]

    /// The most segments that are read. Linkers write about a dozen segments.
    private static let mostSegments = 64
    static let headerSize = 64

    /// Reads the headers of a file that is open for reading.
    init(_ file: borrowing Descriptor) throws(ElfFault) {
        let header = LittleEndianBytes(try file.elfBytes(at: 0, count: Self.headerSize))
        processor = try Self.processor(header)
        guard let place: UInt64 = header.number(at: 32), let size: UInt16 = header.number(at: 54),
            let count: UInt16 = header.number(at: 56), Int(size) == Segment.bytes, count > 0
        else {
            segments = []
            return
        }
        let table = LittleEndianBytes(
            try file.elfBytes(at: place, count: min(Int(count), Self.mostSegments) * Segment.bytes))
        segments = stride(from: 0, to: table.count, by: Segment.bytes).compactMap { Segment(table, at: $0) }
    }

    /// The processor of a 64-bit program.
    private static func processor(_ header: LittleEndianBytes) throws(ElfFault) -> ElfProcessor {
        guard isElf(header.bytes), let type: UInt16 = header.number(at: 16), let machine: UInt16 = header.number(at: 18)
        else { throw .content("is not an ELF program") }
        guard header.bytes[4] == 2, header.bytes[5] == 1 else {
            throw .content("is not a 64-bit little-endian program")
        }
        guard type == 2 || type == 3 else { throw .content("is an ELF file, but not a program") }
        return ElfProcessor(number: machine)
    }

    /// Whether a file that begins with these bytes is of the format ELF.
    static func isElf(_ start: [UInt8]) -> Bool {
        start.starts(with: [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")])
    }
}

extension ElfProgram {
    /// The longest path of an interpreter, in bytes.
    private static let longestPath = 256

    /// The interpreter that the program asks the kernel for; nil if it names none. A dynamically linked program names
    /// the dynamic linker.
    func interpreter(in file: borrowing Descriptor) throws(ElfFault) -> String? {
        guard let segment = segments.first(where: { $0.kind == Segment.interpreter }) else { return nil }
        let bytes = try file.elfBytes(at: segment.offset, count: Int(min(segment.size, UInt64(Self.longestPath))))
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Whether the program asks for an executable stack; nil if the program does not say.
    var hasExecutableStack: Bool? { segments.first { $0.kind == Segment.stack }?.isExecutable }

    /// Whether the program asks for memory that is both writable and executable.
    var hasWritableCode: Bool { segments.contains { $0.kind == Segment.load && $0.isWritable && $0.isExecutable } }
}

/// Why the headers of a program cannot be read.
enum ElfFault: Error, Hashable {
    case system(SystemError)
    /// The fault of the file's contents.
    case content(String)
}

/// Reads little-endian numbers. Each place is checked, so no read can trap.
struct LittleEndianBytes {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }

    /// The number at a place; nil if the bytes end before the end of the number.
    func number<Number: FixedWidthInteger & UnsignedInteger>(at place: Int) -> Number? {
        let size = Number.bitWidth / 8
        guard place >= 0, size <= bytes.count, place <= bytes.count - size else { return nil }
        return bytes[place..<place + size].reversed().reduce(0) { $0 << 8 | Number($1) }
    }
}

extension Descriptor {
    /// Bytes of an ELF file; fewer bytes or none if the file ends earlier.
    func elfBytes(at offset: UInt64, count: Int) throws(ElfFault) -> [UInt8] {
        guard let offset = Int64(exactly: offset), offset <= .max - Int64(count) else { return [] }
        do throws(SystemError) {
            return try read(at: offset, count: count)
        } catch {
            throw .system(error)
        }
    }
}
