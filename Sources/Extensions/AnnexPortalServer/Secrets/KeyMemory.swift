internal import CAnnexSodium

/// Memory for a key. If the system permits it, the memory is locked, so that it is never swapped out. The memory lies
/// between pages that no program can touch, and it is zeroed before it is freed.
///
/// SAFETY: after the initialiser has returned, the memory is read-only, so that any thread may read it.
@safe struct KeyMemory: ~Copyable, @unchecked Sendable {
    /// The size of a key in bytes.
    static let size = 32

    private let start: UnsafeMutableRawPointer

    private init() throws(StoreError) {
        guard KeySodium.isReady, let memory = unsafe sodium_malloc(Self.size) else {
            throw StoreError(
                .noKey, what: "no memory for the key of the secrets: libsodium cannot start",
                remedy: "raise this program's limits on memory")
        }
        unsafe start = memory
    }

    /// - Parameter fill: writes the key's bytes into memory of exactly `size` bytes. If this closure throws, the
    ///   memory is zeroed.
    static func filled(
        by fill: (UnsafeMutableRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) -> KeyMemory {
        let memory = try KeyMemory()
        // SAFETY: the buffer is the memory, and nothing else uses it yet.
        try unsafe fill(UnsafeMutableRawBufferPointer(start: memory.start, count: Self.size))
        _ = unsafe sodium_mprotect_readonly(memory.start)
        return memory
    }

    /// A new random key.
    static func random() throws(StoreError) -> KeyMemory {
        try unsafe KeyMemory.filled { (room) throws(StoreError) in
            // SAFETY: the library writes exactly the memory's bytes.
            if let place = room.baseAddress { unsafe randombytes_buf(place, room.count) }
        }
    }

    deinit {
        // SAFETY: the memory was allocated in the initialiser and is freed once. The library zeroes it first.
        unsafe sodium_free(start)
    }

    /// The key's bytes, for the library. The pointer is valid as long as this value lives.
    var bytes: UnsafePointer<UInt8> {
        unsafe UnsafePointer(start.assumingMemoryBound(to: UInt8.self))
    }

    /// The key's bytes, for a file.
    var buffer: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start, count: Self.size)
    }
}

/// The library libsodium, which is initialised once.
enum KeySodium {
    /// False if the library has no source of random numbers.
    static let isReady = sodium_init() >= 0
}
