extension ElfFile {
    /// A function of the file.
    package struct Function: Sendable, Hashable {
        /// As the file spells it, of unknown make.
        package let name: [UInt8]
        /// Where it is loaded, before the whole is moved.
        package let address: UInt64
    }

    /// Functions lie beside each other: that many claim an address only in a file made to waste time.
    private static let mostMatches = 1 << 20

    private struct Candidate {
        let address: UInt64
        let name: UInt32
    }

    /// The functions that these addresses lie in, in one pass over the table, a piece at a time.
    ///
    /// - Parameter wanted: addresses as `address(ofByteAt:)` gives them; at most `most` are looked at.
    package func functions(at wanted: [UInt64], most: Int = 4_096) -> [UInt64: Function] {
        guard let symbols else { return [:] }
        let sorted = Set(wanted.prefix(most)).sorted()
        var best = [Candidate?](repeating: nil, count: sorted.count)
        let piece = 2_048
        var budget = Self.mostMatches
        for first in stride(from: 0, to: symbols.count, by: piece) {
            let count = min(piece, symbols.count - first)
            let start = symbols.offset.addingReportingOverflow(UInt64(first * SymbolTable.entry))
            let bytes = start.overflow ? [] : read(start.partialValue, count * SymbolTable.entry)
            if bytes.isEmpty { break }
            Self.match(LittleEndian(bytes), count: bytes.count / SymbolTable.entry, sorted, &best, &budget)
        }
        var found: [UInt64: Function] = [:]
        for (address, candidate) in zip(sorted, best) {
            guard let candidate, let name = name(candidate.name, of: symbols) else { continue }
            found[address] = Function(name: name, address: candidate.address)
        }
        return found
    }

    private static func match(
        _ symbols: LittleEndian, count: Int, _ sorted: [UInt64], _ best: inout [Candidate?], _ budget: inout Int
    ) {
        for index in 0..<count {
            let place = index * SymbolTable.entry
            guard let kind = symbols.number(UInt8.self, at: place + 4), kind & 0xF == 2,
                let section = symbols.number(UInt16.self, at: place + 6), section != 0,
                let name = symbols.number(UInt32.self, at: place),
                let address = symbols.number(UInt64.self, at: place + 8),
                let size = symbols.number(UInt64.self, at: place + 16)
            else { continue }
            // Functions written by hand often state no size.
            let length = size == 0 ? 64 : size
            var next = firstIndex(in: sorted, from: address)
            while next < sorted.count, sorted[next] &- address < length, budget > 0 {
                budget -= 1
                // The innermost wins; the first of those that share a beginning.
                if best[next].map({ $0.address < address }) ?? true {
                    best[next] = Candidate(address: address, name: name)
                }
                next += 1
            }
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
        let name = read(start.partialValue, Int(room)).prefix { $0 != 0 }
        return name.isEmpty ? nil : Array(name)
    }
}
