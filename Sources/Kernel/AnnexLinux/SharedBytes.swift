internal import CAnnexLinux

/// Copies of memory that a peer may be changing at the same moment. A copy holds for each byte some value that the peer
/// stored; overlapping reads may fetch a byte twice, so nothing may be decided before the copy is whole.
package enum SharedBytes {
    /// Both ranges hold `count` bytes and do not overlap.
    package static func copy(to target: UnsafeMutableRawPointer, from source: UnsafeRawPointer, count: Int) {
        unsafe annex_copy_shared(target, source, count)
    }

    /// Reads an aligned 64-bit word once.
    @inlinable package static func load(_ address: UnsafePointer<UInt64>) -> UInt64 {
        unsafe annex_load_wide(address)
    }
}
