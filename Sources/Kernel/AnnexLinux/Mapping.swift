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
