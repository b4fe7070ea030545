internal import CAnnexLinux

/// Copies memory that a peer may be changing at the same moment. Each byte of the copy is some value that the peer
/// stored. Overlapping reads may fetch a byte twice, so decide nothing before the copy is complete.
package enum SharedBytes {
    /// Copies `count` bytes. The ranges must not overlap.
    package static func copy(to target: UnsafeMutableRawPointer, from source: UnsafeRawPointer, count: Int) {
        unsafe annex_copy_shared(target, source, count)
    }

    /// Reads an aligned 64-bit word once.
    @inlinable package static func load(_ address: UnsafePointer<UInt64>) -> UInt64 {
        unsafe annex_load_wide(address)
    }
}
