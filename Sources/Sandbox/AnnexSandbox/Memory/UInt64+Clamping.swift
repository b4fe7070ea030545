// What a file system or a program says of itself must not trap whoever adds it up.

extension UInt64 {
    /// The sum, or the largest number where that is less.
    func addingClamped(_ more: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(more)
        return overflow ? .max : sum
    }

    /// The product, or the largest number where that is less.
    func multipliedClamped(by factor: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }

    /// Bytes of so many units of 512, or the largest number where that is less.
    init(bytesOfBlocks blocks: UInt64) {
        self = blocks > .max >> 9 ? .max : blocks << 9
    }
}
