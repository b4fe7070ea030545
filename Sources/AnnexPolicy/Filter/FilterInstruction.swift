/// One instruction of classic BPF, `struct sock_filter`.
struct FilterInstruction: Sendable, Hashable {
    static let size = 8

    let code: UInt16
    let jumpTrue: UInt8
    let jumpFalse: UInt8
    var operand: UInt32

    /// Reads eight bytes; both architectures of Annex are little-endian.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        let at = Array(bytes)
        code = UInt16(at[0]) | UInt16(at[1]) << 8
        jumpTrue = at[2]
        jumpFalse = at[3]
        operand = (4..<8).reversed().reduce(0) { $0 << 8 | UInt32(at[$1]) }
    }

    init(code: UInt16, jumpTrue: UInt8 = 0, jumpFalse: UInt8 = 0, operand: UInt32) {
        self.code = code
        self.jumpTrue = jumpTrue
        self.jumpFalse = jumpFalse
        self.operand = operand
    }

    var bytes: [UInt8] {
        let code = [UInt8(truncatingIfNeeded: self.code), UInt8(truncatingIfNeeded: self.code >> 8)]
        return code + [jumpTrue, jumpFalse] + (0..<4).map { UInt8(truncatingIfNeeded: operand >> (8 * $0)) }
    }

    /// All instructions of an exported filter.
    static func program(_ bytes: [UInt8]) -> [FilterInstruction] {
        stride(from: 0, to: bytes.count, by: size).compactMap {
            FilterInstruction(bytes[$0..<min($0 + size, bytes.count)])
        }
    }
}
