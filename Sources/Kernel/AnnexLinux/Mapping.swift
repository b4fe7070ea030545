internal import CAnnexLinux

/// Memory shared through a descriptor, from its start; unmapped when its owner ends.
///
/// The mapping keeps the memory by itself: the descriptor may be closed.
@safe package struct Mapping: ~Copyable, Sendable {
    /// The first byte; valid for as long as the mapping lives, writable only where it was mapped so.
    // SAFETY: an address is not Sendable by itself; set once. Who keeps it must keep the mapping too.
    package nonisolated(unsafe) let start: UnsafeMutableRawPointer
    /// Bytes.
    package let size: Int
    package let isWritable: Bool

    /// Maps the first `size` bytes. The caller knows that the file is that long and cannot shrink: a byte past the
    /// file's end is SIGBUS.
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

    /// Takes the mapping out of what children inherit, so that a forked child cannot write in its parent's name.
    package func keepFromChildren() throws(SystemError) {
        _ = try SystemError.check("madvise(MADV_DONTFORK)", unsafe annex_keep_from_children(start, size))
    }

    deinit {
        // SAFETY: mapped by `init` with this size, and every borrower of `start` has ended before its owner.
        _ = unsafe annex_unmap(start, size)
    }
}
