internal import CAnnexSodium
internal import Glibc

/// The secret half of a team's Ed25519 key. Its memory is locked and guarded, and is zeroed before it is freed.
struct SigningKey: ~Copyable {
    /// The size of the seed. The library makes the whole key from the seed.
    static let seedSize = 32

    private let memory: SecretMemory
    let publicKey: PublicKey

    /// Creates a new random key.
    init() throws(SigningError) {
        let seed = try SecretMemory(count: Self.seedSize)
        // SAFETY: the library writes exactly the memory's bytes.
        unsafe randombytes_buf(seed.start, seed.count)
        try self.init(seed: seed)
    }

    /// Creates the key from a seed that was stored.
    init(seed: borrowing SecretMemory) throws(SigningError) {
        let whole = try SecretMemory(count: Self.wholeSize)
        var bytes = [UInt8](repeating: 0, count: PublicKey.size)
        // SAFETY: the library writes 32 bytes of public key and 64 bytes of secret key, and reads 32 bytes of seed.
        let result = unsafe crypto_sign_ed25519_seed_keypair(&bytes, whole.bytes, seed.bytes)
        guard result == 0, seed.count == Self.seedSize, let key = PublicKey(bytes) else {
            throw SigningError(.damagedKey, what: "has no key of 32 bytes", place: "seed", remedy: "make a new key")
        }
        memory = whole
        publicKey = key
    }

    private static let wholeSize = 64

    func sign(_ message: Digest) throws(SigningError) -> Signature {
        var bytes = [UInt8](repeating: 0, count: Signature.size)
        let message = message.bytes
        // SAFETY: the library writes 64 bytes, and reads the message and the 64 bytes of the secret key.
        let result = unsafe crypto_sign_ed25519_detached(
            &bytes, nil, message, UInt64(message.count), memory.bytes)
        guard result == 0, let signature = Signature(bytes) else {
            throw SigningError(.system, what: "libsodium made no signature", place: "key")
        }
        return signature
    }

    /// Writes the seed as 64 hexadecimal digits, followed by a zero byte.
    func writeSeed(to place: UnsafeMutablePointer<UInt8>) {
        // SAFETY: the caller provides 65 bytes. The seed is the first half of the library's secret key.
        _ = unsafe sodium_bin2hex(
            UnsafeMutableRawPointer(place).assumingMemoryBound(to: CChar.self), Self.seedSize * 2 + 1, memory.bytes,
            Self.seedSize)
    }
}

/// Memory for a secret. It is locked if the system allows that, lies between inaccessible pages, and is zeroed before
/// it is freed.
@safe struct SecretMemory: ~Copyable {
    let count: Int
    let start: UnsafeMutableRawPointer

    init(count: Int) throws(SigningError) {
        guard Sodium.start(), let memory = unsafe sodium_malloc(count) else {
            throw SigningError(
                .system, what: "no memory for a secret key: libsodium cannot start", place: "key",
                remedy: "raise this program's limits on memory")
        }
        self.count = count
        unsafe start = memory
        unsafe sodium_memzero(memory, count)
    }

    deinit {
        // SAFETY: allocated in the initialiser and freed once. The library zeroes the memory before it frees it.
        unsafe sodium_free(start)
    }

    var bytes: UnsafeMutablePointer<UInt8> { unsafe start.assumingMemoryBound(to: UInt8.self) }

    /// The seed that this memory holds in hexadecimal digits at an offset; nil if the memory holds no such digits
    /// there.
    func seed(at offset: Int) throws(SigningError) -> SecretMemory? {
        let seed = try SecretMemory(count: SigningKey.seedSize)
        var length = 0
        guard offset >= 0, offset + SigningKey.seedSize * 2 <= count else { return nil }
        // SAFETY: the check above ensures that both ranges lie within their memory.
        let result = unsafe sodium_hex2bin(
            seed.bytes, seed.count, start.advanced(by: offset).assumingMemoryBound(to: CChar.self),
            SigningKey.seedSize * 2, nil, &length, nil)
        guard result == 0, length == seed.count else { return nil }
        return consume seed
    }
}
