internal import CAnnexLinux
internal import Glibc

extension Descriptor {
    /// Anonymous memory of `size` zero bytes that can be sealed. If the kernel supports the flag that forbids
    /// execution, the memory is not executable.
    /// - Parameters:
    ///   - name: the name that /proc shows, at most 249 bytes. It need not be unique.
    ///   - size: the size in bytes.
    package static func memfd(_ name: String, size: Int64) throws(SystemError) -> Descriptor {
        let number = try SystemError.check("memfd_create", unsafe annex_memfd_create(name, 0))
        let memory = Descriptor(owning: number)
        if size > 0 { try memory.resize(to: size) }
        return memory
    }

    /// A copy of bytes in memory that no process can change any more.
    package static func sealed(_ name: String, holding bytes: [UInt8]) throws(SystemError) -> Descriptor {
        let memory = try memfd(name, size: 0)
        try memory.writeAll(bytes)
        try memory.addSeals(.immutable)
        return memory
    }

    /// Anonymous memory that a program can be executed from.
    package static func executableMemfd(_ name: String) throws(SystemError) -> Descriptor {
        Descriptor(owning: try SystemError.check("memfd_create", unsafe annex_memfd_create(name, 1)))
    }

    package func addSeals(_ seals: Seals) throws(SystemError) {
        _ = try SystemError.check("fcntl(F_ADD_SEALS)", annex_add_seals(number, seals.rawValue))
    }

    /// The seals in force.
    /// - Throws: `EINVAL` if the file cannot be sealed.
    package func seals() throws(SystemError) -> Seals {
        Seals(rawValue: try SystemError.check("fcntl(F_GET_SEALS)", annex_get_seals(number)))
    }

    /// Whether the file lies on tmpfs, as every memfd of ordinary pages does. Memory of huge pages does not lie on
    /// tmpfs. In such memory a page can be missing although the file is long enough.
    package var isPlainSharedMemory: Bool {
        annex_is_on_tmpfs(number) == 1
    }

    /// `SEEK_HOLE`. The import of Glibc lacks this name. The number is the same on every architecture.
    private static let seekHole: Int32 = 4

    /// The offset of the first hole. If the file has no hole, this offset is the file's size. If the hole cannot be
    /// determined, the offset is less than 0. This property moves the file's offset.
    package var firstHole: Int64 {
        Int64(lseek(number, 0, Descriptor.seekHole))
    }
}

/// The changes to a memfd that its seals forbid to every process, independent of the descriptors that the process
/// holds.
package struct Seals: OptionSet, Sendable, Hashable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// No further seals can be added.
    package static let seal = Seals(rawValue: ANNEX_SEAL_SEAL)
    package static let shrink = Seals(rawValue: ANNEX_SEAL_SHRINK)
    package static let grow = Seals(rawValue: ANNEX_SEAL_GROW)
    /// No byte can change any more. The kernel refuses this seal while a writable mapping exists.
    package static let write = Seals(rawValue: ANNEX_SEAL_WRITE)
    /// No process can get a new way to write. Existing writable mappings stay writable.
    package static let futureWrite = Seals(rawValue: ANNEX_SEAL_FUTURE_WRITE)

    /// Size and seals are fixed. Bytes can change.
    package static let fixedSize: Seals = [.seal, .shrink, .grow]
    /// Size, bytes and seals of the file can no longer change. The file can therefore be mapped and read in place.
    package static let immutable: Seals = [.seal, .shrink, .grow, .write]
    /// Only the process that created the memory can write to it, through the mapping that this process already has.
    package static let oneWriter: Seals = [.seal, .shrink, .grow, .futureWrite]
}

/// Shared memory, mapped from the start of a descriptor's file. The memory is unmapped when this value ends.
///
/// The mapping keeps the memory alive, so the descriptor may be closed.
@safe package struct Mapping: ~Copyable, Sendable {
    /// The first byte. It is valid for as long as the mapping lives, and writable only if `isWritable`.
    // SAFETY: an address is not Sendable by itself. This address is set once. Code that keeps this address must keep
    // the mapping too.
    package nonisolated(unsafe) let start: UnsafeMutableRawPointer
    /// The size in bytes.
    package let size: Int
    package let isWritable: Bool

    /// Maps the first `size` bytes. The caller must know that the file has this length and cannot shrink, because
    /// access past the file's end raises SIGBUS.
    package init(_ descriptor: borrowing Descriptor, size: Int, writable: Bool) throws(SystemError) {
        var error: Int32 = 0
        // SAFETY: a new mapping does not overlap existing memory. The call stores one number through the pointer.
        guard let start = unsafe annex_map_shared(descriptor.number, size, writable ? 1 : 0, &error) else {
            throw SystemError("mmap", errno: error)
        }
        unsafe self.start = start
        self.size = size
        isWritable = writable
    }

    /// Excludes the mapping from forked children, so that a child cannot write to its parent's shared memory.
    package func keepFromChildren() throws(SystemError) {
        _ = try SystemError.check("madvise(MADV_DONTFORK)", unsafe annex_keep_from_children(start, size))
    }

    deinit {
        // SAFETY: `init` mapped the memory with this size. Every borrower of `start` has ended before this value.
        _ = unsafe annex_unmap(start, size)
    }
}

/// Copies memory that a peer may be changing at the same time. Each byte of the copy is some value that the peer
/// stored. The copying may read a byte twice and find two values, so make no decision before the copy is complete.
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
