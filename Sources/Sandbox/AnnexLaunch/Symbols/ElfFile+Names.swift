extension ElfFile {
    /// A function of the file.
    package struct Function: Sendable, Hashable {
        /// The name as the file spells it. The program's author controls it.
        package let name: [UInt8]
        /// The function's address in the file, before the loader moves the file to a random address.
        package let address: UInt64
    }

    /// One search examines at most this many pairs of a function and a wanted address inside the function. Functions do
    /// not overlap, so a normal file has far fewer pairs. Only a file that was made to waste time has more pairs.
    private static let mostMatches = 1 << 20

    private struct Candidate {
        let address: UInt64
        let name: UInt32
    }

    /// `Elf64_Sym` as the file stores it.
    private struct Symbol {
        let name: UInt32
        let address: UInt64
        let length: UInt64
        let isFunction: Bool

        /// - Parameter place: the offset of an entry. At least `SymbolTable.entry` bytes begin there.
        @unsafe init(_ bytes: UnsafeRawBufferPointer, at place: Int) {
            unsafe name = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
            let kind = unsafe bytes[place + 4]
            let section = unsafe bytes.loadUnaligned(fromByteOffset: place + 6, as: UInt16.self)
            isFunction = kind & 0xF == 2 && section != 0
            unsafe address = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self))
            let size = unsafe bytes.loadUnaligned(fromByteOffset: place + 16, as: UInt64.self)
            // Functions written in assembler often state no size. For these, 64 bytes are assumed.
            length = size == 0 ? 64 : UInt64(littleEndian: size)
        }
    }

    /// Finds the functions that contain these addresses. The search passes once over the table of symbols and reads
    /// one piece of it at a time.
    ///
    /// - Parameters:
    ///   - wanted: addresses as `address(ofByteAt:)` returns them.
    ///   - most: how many addresses to look up at most. Further addresses are ignored.
    package func functions(at wanted: [UInt64], most: Int = 4_096) -> [UInt64: Function] {
        guard let symbols else { return [:] }
        let sorted = Set(wanted.prefix(most)).sorted()
        var best = [Candidate?](repeating: nil, count: sorted.count)
        let piece = 2_048
        var budget = Self.mostMatches
        for first in stride(from: 0, to: symbols.count, by: piece) {
            let count = min(piece, symbols.count - first)
            let start = symbols.offset.addingReportingOverflow(UInt64(first * SymbolTable.entry))
            let bytes = start.overflow ? [] : read(at: start.partialValue, count: count * SymbolTable.entry)
            if bytes.isEmpty { break }
            Self.match(bytes, against: sorted, best: &best, budget: &budget)
        }
        var found: [UInt64: Function] = [:]
        for (address, candidate) in zip(sorted, best) {
            guard let candidate, let name = name(candidate.name, of: symbols) else { continue }
            found[address] = Function(name: name, address: candidate.address)
        }
        return found
    }

    private static func match(
        _ bytes: [UInt8], against sorted: [UInt64], best: inout [Candidate?], budget: inout Int
    ) {
        guard let first = sorted.first, let last = sorted.last else { return }
        unsafe bytes.withUnsafeBytes { symbols in
            var place = 0
            while place + SymbolTable.entry <= symbols.count {
                // SAFETY: a whole entry lies within the bytes, and the code reads only within the entry.
                let symbol = unsafe Symbol(symbols, at: place)
                place += SymbolTable.entry
                // Skip entries that contain no wanted address. Nearly all entries are skipped here.
                guard symbol.isFunction, symbol.address <= last,
                    first <= symbol.address || first &- symbol.address < symbol.length
                else { continue }
                consider(symbol, for: sorted, best: &best, budget: &budget)
            }
        }
    }

    private static func consider(
        _ symbol: Symbol, for sorted: [UInt64], best: inout [Candidate?], budget: inout Int
    ) {
        var next = firstIndex(in: sorted, from: symbol.address)
        while next < sorted.count, sorted[next] &- symbol.address < symbol.length, budget > 0 {
            budget -= 1
            // If several functions contain a wanted address, the innermost function wins. If several innermost
            // functions begin at the same address, the first of them in the table wins.
            if best[next].map({ $0.address < symbol.address }) ?? true {
                best[next] = Candidate(address: symbol.address, name: symbol.name)
            }
            next += 1
        }
    }

    private static func firstIndex(in sorted: [UInt64], from address: UInt64) -> Int {
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = low + (high - low) / 2
            if sorted[middle] < address { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func name(_ place: UInt32, of symbols: SymbolTable) -> [UInt8]? {
        guard UInt64(place) < symbols.namesSize else { return nil }
        let start = symbols.names.addingReportingOverflow(UInt64(place))
        guard !start.overflow else { return nil }
        let room = min(UInt64(Self.longestName), symbols.namesSize - UInt64(place))
        let name = read(at: start.partialValue, count: Int(room)).prefix { $0 != 0 }
        return name.isEmpty ? nil : Array(name)
    }
}
