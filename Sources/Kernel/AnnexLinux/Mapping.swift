internal import CAnnexLinux

/// Shared memory, mapped from the start of a descriptor. It is unmapped when its owner ends.
///
/// The mapping keeps the memory alive, so the descriptor may be closed.
@safe package struct Mapping: ~Copyable, Sendable {
    /// The first byte. It is valid for as long as the mapping lives, and writable only if it was mapped so.
    // SAFETY: an address is not Sendable by itself; set once. Code that keeps it must keep the mapping too.
    package nonisolated(unsafe) let start: UnsafeMutableRawPointer
    /// In bytes.
    package let size: Int
    package let isWritable: Bool

    /// Maps the first `size` bytes. The caller must know that the file is that long and cannot shrink: access past the
    /// file's end raises SIGBUS.
    package init(_ descriptor: borrowing Descriptor, size: Int, writable: Bool) throws(SystemError) {
        var error: Int32 = 0
        // SAFETY: a new mapping overlaps nothing that exists; the call stores one number through the pointer.
        guard let start = unsafe annex_map_shared(descriptor.number, size, writable ? 1 : 0, &error) else {
            throw SystemError("mmap", errno: error)
        }
        unsafe self.start = start
        self.size = size
        isWritable = writable
    }

    /// Excludes the mapping from forked children, so that a child cannot write in its parent's name.
    package func keepFromChildren() throws(SystemError) {
        _ = try SystemError.check("madvise(MADV_DONTFORK)", unsafe annex_keep_from_children(start, size))
    }

    deinit {
        // SAFETY: mapped by `init` with this size, and every borrower of `start` has ended before its owner.
        _ = unsafe annex_unmap(start, size)
    }
}

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
