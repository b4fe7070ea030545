/// The fuzzer's bytes as choices. After the last byte, all choices are zero.
struct Script {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    var isOver: Bool { bytes.isEmpty }

    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

    mutating func word() -> UInt32 {
        (0..<4).reduce(0) { word, _ in word << 8 | UInt32(byte()) }
    }

    mutating func one<Value>(of values: [Value]) -> Value { values[number(below: values.count)] }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }
}
