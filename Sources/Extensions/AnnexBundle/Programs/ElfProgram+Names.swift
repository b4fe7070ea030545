internal import AnnexLinux

// The names in an ELF program. Only the validation of a bundle reads them, because a large program has many thousands
// of names.

extension ElfProgram {
    /// A bound on entries of the dynamic section. A program has about forty entries.
    private static let mostEntries = 512
    private static let mostLibraries = 64
    private static let longestLibrary = 256

    /// The names of the shared libraries that the dynamic linker loads with the program.
    func neededLibraries(in file: borrowing Descriptor) throws(ElfFault) -> [String] {
        guard let segment = segments.first(where: { $0.kind == Segment.dynamic }) else { return [] }
        let bytes = Int(min(segment.size, UInt64(Self.mostEntries * 16)))
        let table = LittleEndianBytes(try file.elfBytes(at: segment.offset, count: bytes))
        let (needed, names, end) = (UInt64(1), UInt64(5), UInt64(0))
        var offsets: [UInt64] = []
        var start: UInt64?
        for place in stride(from: 0, to: table.count, by: 16) {
            guard let tag: UInt64 = table.number(at: place), let value: UInt64 = table.number(at: place + 8), tag != end
            else { break }
            if tag == needed { offsets.append(value) }
            if tag == names { start = fileOffset(ofAddress: value) }
        }
        guard let start else { return [] }
        var found: [String] = []
        for offset in offsets.prefix(Self.mostLibraries) {
            let (place, overflow) = start.addingReportingOverflow(offset)
            guard !overflow else { continue }
            let name = try file.elfBytes(at: place, count: Self.longestLibrary).prefix { $0 != 0 }
            if !name.isEmpty { found.append(String(decoding: name, as: UTF8.self)) }
        }
        return found
    }

    private func fileOffset(ofAddress address: UInt64) -> UInt64? {
        for segment in segments where segment.kind == Segment.load && address >= segment.address {
            let distance = address - segment.address
            if distance < segment.size { return segment.offset &+ distance }
        }
        return nil
    }
}

/// The symbols of an ELF program that have one of the wanted names. A stripped static program has no symbols.
struct ElfSymbols {
    /// The wanted names that the program defines or takes from a library.
    private(set) var found: Set<String> = []
    /// The wanted names that the program takes from a library. The program's own code calls these functions.
    private(set) var taken: Set<String> = []

    private let wanted: Set<[UInt8]>
    private let longest: Int

    private static let sectionSize = 64
    private static let mostSections = 512
    private static let symbolSize = 24
    /// A bound on symbols. A large Swift program has some hundred thousand symbols.
    private static let mostSymbols = 1 << 20
    /// The number of symbols that are in memory at once.
    private static let piece = 4_096
    /// A bound on the bytes of all names in one table.
    private static let mostNameBytes = 64 << 20

    init(named wanted: some Sequence<String>, in file: borrowing Descriptor) throws(ElfFault) {
        self.wanted = Set(wanted.map { Array($0.utf8) })
        longest = self.wanted.map(\.count).max() ?? 0
        let header = LittleEndianBytes(try file.elfBytes(at: 0, count: ElfProgram.headerSize))
        guard let place: UInt64 = header.number(at: 40), let size: UInt16 = header.number(at: 58),
            let count: UInt16 = header.number(at: 60), Int(size) == Self.sectionSize
        else { return }
        let sections = LittleEndianBytes(
            try file.elfBytes(at: place, count: min(Int(count), Self.mostSections) * Self.sectionSize))
        for start in stride(from: 0, to: sections.count, by: Self.sectionSize) {
            // Section kind 2 is the full symbol table. Section kind 11 is the dynamic linker's symbol table.
            guard let kind: UInt32 = sections.number(at: start + 4), kind == 2 || kind == 11,
                let table = Range(sections, at: start), let link: UInt32 = sections.number(at: start + 40),
                let names = Range(sections, at: Int(link) * Self.sectionSize)
            else { continue }
            try search(table, names: names, in: file)
        }
    }

    /// The place of a section in the file.
    private struct Range {
        let offset: UInt64
        let size: UInt64

        init?(_ sections: LittleEndianBytes, at start: Int) {
            guard let offset: UInt64 = sections.number(at: start + 24),
                let size: UInt64 = sections.number(at: start + 32), !offset.addingReportingOverflow(size).overflow
            else { return nil }
            self.offset = offset
            self.size = size
        }
    }

    private mutating func search(
        _ table: Range, names: Range, in file: borrowing Descriptor
    ) throws(ElfFault) {
        let text = try file.elfBytes(at: names.offset, count: Int(min(names.size, UInt64(Self.mostNameBytes))))
        let count = Int(min(table.size / UInt64(Self.symbolSize), UInt64(Self.mostSymbols)))
        for first in stride(from: 0, to: count, by: Self.piece) {
            let bytes = try file.elfBytes(
                at: table.offset + UInt64(first * Self.symbolSize),
                count: min(Self.piece, count - first) * Self.symbolSize)
            if bytes.isEmpty { return }
            let symbols = LittleEndianBytes(bytes)
            for place in stride(from: 0, to: bytes.count, by: Self.symbolSize) { keep(symbols, at: place, text: text) }
        }
    }

    private mutating func keep(_ symbols: LittleEndianBytes, at place: Int, text: [UInt8]) {
        guard let start: UInt32 = symbols.number(at: place), let info: UInt8 = symbols.number(at: place + 4),
            let section: UInt16 = symbols.number(at: place + 6)
        else { return }
        // A symbol with binding 0 is local. It is skipped, because its name means nothing: the author of a program
        // can give local symbols any names.
        guard info >> 4 != 0, Int(start) < text.count else { return }
        let name = Array(text[Int(start)...].prefix(longest + 1).prefix { $0 != 0 })
        guard wanted.contains(name) else { return }
        let symbol = String(decoding: name, as: UTF8.self)
        found.insert(symbol)
        if section == 0 { taken.insert(symbol) }
    }
}
