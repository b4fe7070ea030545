/// One instruction of classic BPF, `struct sock_filter`.
package struct FilterInstruction: Sendable, Hashable {
    static let size = 8

    let code: UInt16
    let jumpTrue: UInt8
    let jumpFalse: UInt8
    var operand: UInt32

    /// Reads the eight bytes from `start` on, which the array must have. Both architectures of Annex are little-endian.
    private init(_ bytes: [UInt8], at start: Int) {
        code = UInt16(bytes[start]) | UInt16(bytes[start + 1]) << 8
        jumpTrue = bytes[start + 2]
        jumpFalse = bytes[start + 3]
        operand = (4..<8).reversed().reduce(0) { $0 << 8 | UInt32(bytes[start + $1]) }
    }

    init(code: UInt16, jumpTrue: UInt8 = 0, jumpFalse: UInt8 = 0, operand: UInt32) {
        self.code = code
        self.jumpTrue = jumpTrue
        self.jumpFalse = jumpFalse
        self.operand = operand
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.size)
        append(to: &bytes)
        return bytes
    }

    private func append(to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: code))
        bytes.append(UInt8(truncatingIfNeeded: code >> 8))
        bytes.append(jumpTrue)
        bytes.append(jumpFalse)
        for shift in stride(from: 0, to: 32, by: 8) as StrideTo<UInt32> {
            bytes.append(UInt8(truncatingIfNeeded: operand >> shift))
        }
    }

    /// The instructions of an exported filter. An incomplete instruction at the end is ignored.
    package static func program(_ bytes: [UInt8]) -> [FilterInstruction] {
        stride(from: 0, through: bytes.count - size, by: size).map { FilterInstruction(bytes, at: $0) }
    }

    /// The bytes of a program, in the form of an exported filter.
    static func bytes(of program: [FilterInstruction]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(program.count * size)
        for instruction in program { instruction.append(to: &bytes) }
        return bytes
    }
}
