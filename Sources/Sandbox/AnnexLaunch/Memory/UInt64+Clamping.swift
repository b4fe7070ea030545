// Sums of numbers from a file system or a program must not trap.

extension UInt64 {
    /// The sum, or the largest number if it would overflow.
    func addingClamped(_ more: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(more)
        return overflow ? .max : sum
    }

    /// The product, or the largest number if it would overflow.
    func multipliedClamped(by factor: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }

    /// The bytes of a number of 512-byte blocks, or the largest number if it would overflow.
    init(bytesOfBlocks blocks: UInt64) {
        self = blocks > .max >> 9 ? .max : blocks << 9
    }
}
