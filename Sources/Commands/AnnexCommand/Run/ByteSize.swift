import ArgumentParser

/// A number of bytes in the form that people write: `65536`, `64K`, `64M`, `1G`.
struct ByteSize: ExpressibleByArgument {
    let bytes: UInt64

    init?(argument: String) {
        let units: [Character: UInt64] = ["K": 10, "M": 20, "G": 30]
        let shift = argument.last.flatMap { units[$0] }
        guard let number = UInt64(shift == nil ? argument : String(argument.dropLast())), number > 0 else { return nil }
        guard number.leadingZeroBitCount > Int(shift ?? 0) else { return nil }
        bytes = number << (shift ?? 0)
    }
}
