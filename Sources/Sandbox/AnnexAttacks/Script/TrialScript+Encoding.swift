extension TrialScript {
    /// The script in the layout of `trial.h`. If the program executes itself, the script for its second execution
    /// follows in the same file. The file's offset survives exec, so the program continues to read at this place.
    func encoded() throws(TrialFailure) -> [UInt8] {
        var bytes = try encoded(from: 0)
        for script in again { bytes += try script.encoded(from: Self.againFrom) }
        return bytes
    }

    private func encoded(from first: Int) throws(TrialFailure) -> [UInt8] {
        guard steps.count <= Self.mostSteps, memory.count <= Self.largestMemory else {
            throw TrialFailure("the script has more than \(Self.mostSteps) steps or \(Self.largestMemory) bytes")
        }
        var bytes: [UInt8] = []
        bytes.append(word: UInt32(0x4C49_5254))
        bytes.append(word: UInt32(steps.count))
        bytes.append(word: UInt32(memory.count))
        bytes.append(word: UInt32(first))
        for step in steps { step.append(to: &bytes) }
        return bytes + memory
    }
}

extension TrialStep {
    fileprivate func append(to bytes: inout [UInt8]) {
        let (kind, number): (UInt32, Int64) =
            switch self.kind {
            case .call(let number): (1, Int64(number))
            case .report: (2, 0)
            case .store: (3, 0)
            case .conduct(let conduct): (4, conduct.rawValue)
            }
        let forms = arguments.enumerated().reduce(0) { $0 | $1.element.form << (2 * UInt32($1.offset)) }
        bytes.append(word: kind)
        bytes.append(word: forms)
        bytes.append(word: UInt32(bitPattern: after.map { Int32(clamping: $0) } ?? -1))
        bytes.append(word: UInt32(0))
        bytes.append(word: UInt64(bitPattern: number))
        for index in 0..<6 { bytes.append(word: index < arguments.count ? arguments[index].bits : 0) }
    }
}

extension [UInt8] {
    /// Appends a number in this machine's byte order, which is little-endian on both architectures.
    package mutating func append<Word: FixedWidthInteger>(word: Word) {
        for index in 0..<(Word.bitWidth / 8) { append(UInt8(truncatingIfNeeded: word >> (8 * index))) }
    }
}
