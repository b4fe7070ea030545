internal import AnnexModel

/// Reads the binary form of a property list, version 00: a table of objects that refer to each other.
///
/// References may form circles, several references may name the same object, and objects may overlap. So the reader
/// counts depth, values and bytes once for each reference, before it copies anything.
struct BinaryPropertyListReader {
    private let file: BigEndianFile
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let rootObject: Int
    private let tableStart: Int
    private var budget: PropertyListBudget

    init(_ bytes: [UInt8], within limits: PropertyListLimits) throws(PropertyListFailure) {
        budget = PropertyListBudget(limits)
        file = BigEndianFile(bytes)
        let trailer = bytes.count - 32
        guard bytes.starts(with: "bplist00".utf8), trailer >= 8 else {
            throw PropertyListFailure(at: 0, "not a binary property list of version 00")
        }
        guard let offsetSize = file.number(at: trailer + 6, size: 1),
            let referenceSize = file.number(at: trailer + 7, size: 1),
            let objectCount = file.number(at: trailer + 8, size: 8), let root = file.number(at: trailer + 16, size: 8),
            let table = file.number(at: trailer + 24, size: 8),
            (1...8).contains(offsetSize), (1...8).contains(referenceSize), objectCount <= trailer, root < objectCount,
            table <= trailer, objectCount * offsetSize <= trailer - table
        else { throw PropertyListFailure(at: trailer, "the table of objects does not fit the file") }
        self.offsetSize = offsetSize
        self.referenceSize = referenceSize
        self.objectCount = objectCount
        rootObject = root
        tableStart = table
    }

    mutating func root() throws(PropertyListFailure) -> PropertyListValue {
        try object(rootObject, depth: 0)
    }
}

extension BinaryPropertyListReader {
    private mutating func object(_ index: Int, depth: Int) throws(PropertyListFailure) -> PropertyListValue {
        guard index < objectCount, let start = file.number(at: tableStart + index * offsetSize, size: offsetSize),
            start < tableStart, let marker = file.number(at: start, size: 1)
        else { throw PropertyListFailure(at: tableStart, "a reference to an object that does not exist") }
        try budget.spendValue(at: start, depth: depth)
        guard let value = try value(marker, at: start, depth: depth) else {
            throw PropertyListFailure(at: start, "an object of unknown kind or beyond the file's end")
        }
        return value
    }

    private mutating func value(
        _ marker: Int, at start: Int, depth: Int
    ) throws(PropertyListFailure) -> PropertyListValue? {
        let low = marker & 0x0F
        switch marker >> 4 {
        case 0x0: return low == 8 ? .boolean(false) : low == 9 ? .boolean(true) : nil
        case 0x1: return integer(at: start + 1, size: low <= 4 ? 1 << low : 0).map(PropertyListValue.integer)
        case 0x2: return real(at: start + 1, size: low <= 3 ? 1 << low : 0).map(PropertyListValue.real)
        case 0x3: return low == 3 ? real(at: start + 1, size: 8).map(PropertyListValue.date) : nil
        default: break
        }
        guard let (count, body) = length(low, at: start + 1) else { return nil }
        switch marker >> 4 {
        case 0x4...0x6:
            try budget.spend(bytes: marker >> 4 == 0x6 ? count * 2 : count, at: start)
            return run(marker >> 4, at: body, count: count)
        case 0xA: return .array(try objects(at: body, count: count, depth: depth))
        case 0xD: return .dictionary(try dictionary(at: body, count: count, depth: depth))
        default: return nil
        }
    }

    /// Data (0x4), ASCII text (0x5) or UTF-16 text (0x6).
    private func run(_ kind: Int, at body: Int, count: Int) -> PropertyListValue? {
        switch kind {
        case 0x4: file.bytes(at: body, count: count).map { .data(Array($0)) }
        case 0x5:
            file.bytes(at: body, count: count).flatMap { String(validating: $0, as: UTF8.self) }.map(
                PropertyListValue.string)
        default: file.utf16(at: body, count: count).map(PropertyListValue.string)
        }
    }

    /// The length of an object. The low half of the object's marker gives the length. If the low half is 15, the
    /// integer object after the marker gives the length.
    private func length(_ low: Int, at place: Int) -> (count: Int, body: Int)? {
        guard low == 0x0F else { return (low, place) }
        guard let marker = file.number(at: place, size: 1), marker >> 4 == 1, marker & 0x0F <= 3 else { return nil }
        let size = 1 << (marker & 0x0F)
        guard let count = file.number(at: place + 1, size: size), count <= file.count else { return nil }
        return (count, place + 1 + size)
    }

    private func integer(at place: Int, size: Int) -> Int64? {
        switch size {
        case 1, 2, 4: file.number(at: place, size: size).map(Int64.init)
        case 8: file.bits(at: place, size: 8).map(Int64.init(bitPattern:))
        // An integer of 16 bytes may exceed Int64. Values that exceed Int64 are rejected.
        case 16:
            file.bits(at: place, size: 8) == 0 ? file.bits(at: place + 8, size: 8).flatMap(Int64.init(exactly:)) : nil
        default: nil
        }
    }

    private func real(at place: Int, size: Int) -> Double? {
        switch size {
        case 4: file.bits(at: place, size: 4).map { Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0))) }
        case 8: file.bits(at: place, size: 8).map(Double.init(bitPattern:))
        default: nil
        }
    }

    private mutating func objects(
        at place: Int, count: Int, depth: Int
    ) throws(PropertyListFailure) -> [PropertyListValue] {
        var values: [PropertyListValue] = []
        for position in 0..<count {
            guard let index = file.number(at: place + position * referenceSize, size: referenceSize) else {
                throw PropertyListFailure(at: place, "references beyond the file's end")
            }
            values.append(try object(index, depth: depth + 1))
        }
        return values
    }

    private mutating func dictionary(
        at place: Int, count: Int, depth: Int
    ) throws(PropertyListFailure) -> [String: PropertyListValue] {
        let keys = try objects(at: place, count: count, depth: depth)
        let values = try objects(at: place + count * referenceSize, count: count, depth: depth)
        var result: [String: PropertyListValue] = [:]
        for (key, value) in zip(keys, values) {
            if let key = key.string { try budget.checkKey(key, at: place) }
            guard let key = key.string, result.updateValue(value, forKey: key) == nil else {
                throw PropertyListFailure(at: place, "a key that is not a string or appears twice")
            }
        }
        return result
    }
}
