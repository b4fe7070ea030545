/// The parts of an ELF file that are needed to name its functions. Only 64-bit, little-endian files are read.
///
/// The program may have forged anything in the file. This code checks every number before it uses the number, and it
/// bounds the bytes that it reads.
package struct ElfFile: Sendable {
    /// Reads at most `count` bytes, beginning at `offset`. Reads fewer bytes at the end of the file.
    package typealias Source = @Sendable (_ offset: UInt64, _ count: Int) -> [UInt8]

    /// A range of the file that is loaded into memory.
    struct Segment: Hashable {
        let offset: UInt64
        let address: UInt64
        let size: UInt64
    }

    /// A table of symbols and the table of their names, as offsets in the file.
    struct SymbolTable: Hashable {
        let offset: UInt64
        let count: Int
        let names: UInt64
        let namesSize: UInt64
    }

    static let mostHeaders = 512
    /// The most symbols that are read. A large Swift program has some tens of thousands.
    static let mostSymbols = 1 << 18
    static let longestName = 1_024

    let segments: [Segment]
    let symbols: SymbolTable?
    private let source: Source

    /// nil if the source is not a 64-bit, little-endian ELF file.
    package init?(_ source: @escaping Source) {
        let head = source(0, 64)
        let header = LittleEndian(head)
        // The magic number, then the marks for 64 bits and little-endian.
        guard head.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]), let programs = header.number(UInt64.self, at: 32),
            let sections = header.number(UInt64.self, at: 40), let programSize = header.number(UInt16.self, at: 54),
            let programCount = header.number(UInt16.self, at: 56),
            let sectionSize = header.number(UInt16.self, at: 58),
            let sectionCount = header.number(UInt16.self, at: 60)
        else { return nil }
        self.source = source
        let programBytes = Self.records(source, at: programs, size: programSize, least: 56, count: programCount)
        let sectionBytes = Self.records(source, at: sections, size: sectionSize, least: 64, count: sectionCount)
        segments = programBytes.compactMap { Segment(header: LittleEndian($0)) }
        symbols = Self.symbols(sectionBytes.map(LittleEndian.init))
    }

    private static func records(
        _ source: Source, at offset: UInt64, size: UInt16, least: UInt16, count: UInt16
    ) -> [[UInt8]] {
        guard size >= least, size <= 256, offset != 0 else { return [] }
        let size = Int(size)
        let bytes = source(offset, min(Int(count), mostHeaders) * size)
        return stride(from: 0, to: bytes.count - bytes.count % size, by: size).map { Array(bytes[$0..<$0 + size]) }
    }

    /// The full symbol table if the file has one; otherwise the dynamic linker's table.
    private static func symbols(_ sections: [LittleEndian]) -> SymbolTable? {
        for kind in [2, 11] as [UInt32] {
            for section in sections where section.number(UInt32.self, at: 4) == kind {
                guard let link = section.number(UInt32.self, at: 40), let index = Int(exactly: link),
                    index < sections.count
                else { continue }
                if let table = SymbolTable(section, names: sections[index]) { return table }
            }
        }
        return nil
    }

    /// The address at which a byte of the file is loaded, before the loader moves the file to a random address. nil if
    /// the byte is not loaded.
    package func address(ofByteAt offset: UInt64) -> UInt64? {
        for segment in segments where offset >= segment.offset && offset &- segment.offset < segment.size {
            return segment.address &+ (offset &- segment.offset)
        }
        return nil
    }

    func read(at offset: UInt64, count: Int) -> [UInt8] { source(offset, count) }
}

extension ElfFile.Segment {
    fileprivate init?(header: LittleEndian) {
        guard header.number(UInt32.self, at: 0) == 1, let offset = header.number(UInt64.self, at: 8),
            let address = header.number(UInt64.self, at: 16), let size = header.number(UInt64.self, at: 32)
        else { return nil }
        self.init(offset: offset, address: address, size: size)
    }
}

extension ElfFile.SymbolTable {
    /// The size of one symbol in bytes.
    static let entry = 24

    fileprivate init?(_ section: LittleEndian, names: LittleEndian) {
        guard let offset = section.number(UInt64.self, at: 24), let size = section.number(UInt64.self, at: 32),
            section.number(UInt64.self, at: 56) == UInt64(Self.entry), let start = names.number(UInt64.self, at: 24),
            let namesSize = names.number(UInt64.self, at: 32)
        else { return nil }
        let count = min(size / UInt64(Self.entry), UInt64(ElfFile.mostSymbols))
        self.init(offset: offset, count: Int(count), names: start, namesSize: namesSize)
    }
}
