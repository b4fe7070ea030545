internal import CAnnexSodium

/// A BLAKE2b digest of 32 bytes. If two digests for the same purpose are equal, the contents from which they were made
/// are equal.
///
/// The digest of a file is the digest that `b2sum -l 256` prints.
package struct Digest: Sendable, Hashable {
    /// The size of a digest in bytes.
    package static let size = 32

    private let words: SIMD32<UInt8>

    /// Nil if there are not exactly 32 bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        words = SIMD32(bytes)
    }

    fileprivate init(_ words: SIMD32<UInt8>) {
        self.words = words
    }

    package var bytes: [UInt8] { words.indices.map { words[$0] } }

    /// 64 hexadecimal digits.
    package var hex: String { Hexadecimal.text(of: bytes) }
}

/// The purpose of a digest. Digests for different purposes differ, even if they are made from the same bytes.
enum DigestPurpose: String {
    /// The contents of one file.
    case file = ""
    /// An app's seal.
    case seal = "annex-app-seal-1"
    /// The statement that a team signs.
    case statement = "annex-app-sign-1"
    /// A team's public key. The team's identifier is made from this digest.
    case team = "annex-team-key-1"
}

/// A digest that is being computed. Callers add bytes in any number of parts.
@safe struct DigestState: ~Copyable {
    /// Memory for the library's state. Swift does not import the library's type, because of its alignment.
    private let memory: UnsafeMutableRawPointer
    private var state: OpaquePointer { unsafe OpaquePointer(memory) }

    init(_ purpose: DigestPurpose) {
        Sodium.start()
        // SAFETY: the memory has the size and the alignment that the library requires. This value owns the memory.
        unsafe memory = .allocate(byteCount: crypto_generichash_blake2b_statebytes(), alignment: 64)
        var personal = [UInt8](purpose.rawValue.utf8)
        personal += [UInt8](repeating: 0, count: 16 - personal.count)
        // SAFETY: without a key and a salt the library reads only the 16 bytes of the purpose. The call fails only if
        // a size is out of bounds.
        _ = unsafe crypto_generichash_blake2b_init_salt_personal(state, nil, 0, Digest.size, nil, personal)
    }

    deinit {
        // SAFETY: allocated in the initialiser and freed once.
        unsafe memory.deallocate()
    }

    func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        // SAFETY: the library reads exactly the buffer's bytes.
        _ = unsafe crypto_generichash_blake2b_update(
            state, start.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
    }

    func add(_ bytes: some Collection<UInt8>) {
        // SAFETY: the array outlives the call.
        unsafe Array(bytes).withUnsafeBytes { unsafe add($0) }
    }

    /// The digest of all bytes that were added.
    consuming func finish() -> Digest {
        var words = SIMD32<UInt8>()
        // SAFETY: the library writes 32 bytes, which is the vector's size.
        unsafe withUnsafeMutableBytes(of: &words) { room in
            guard let start = room.baseAddress else { return }
            _ = unsafe crypto_generichash_blake2b_final(
                state, start.assumingMemoryBound(to: UInt8.self), Digest.size)
        }
        return Digest(words)
    }
}

extension Digest {
    /// The digest of a file whose bytes are in memory.
    package init(ofFile bytes: [UInt8]) { self.init(of: bytes, for: .file) }

    /// The digest of bytes in memory.
    init(of bytes: some Collection<UInt8>, for purpose: DigestPurpose) {
        let state = DigestState(purpose)
        state.add(bytes)
        self = state.finish()
    }
}
