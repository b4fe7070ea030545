internal import CAnnexSodium
internal import Glibc

/// The library libsodium. Annex uses it for all cryptography.
enum Sodium {
    /// The first call starts the library. Later calls only return the result.
    ///
    /// - Returns: whether the library is ready. If not, it has no source of random numbers.
    @discardableResult
    static func start() -> Bool { isReady }

    private static let isReady = sodium_init() >= 0

    /// Whether this key made an Ed25519 signature over a message.
    static func isValid(_ signature: Signature, over message: Digest, by key: PublicKey) -> Bool {
        start()
        let bytes = message.bytes
        // SAFETY: the three arrays have the sizes that the library reads: 64 bytes, the passed size, and 32 bytes.
        return unsafe crypto_sign_ed25519_verify_detached(
            signature.bytes, bytes, UInt64(bytes.count), key.bytes) == 0
    }
}

/// The public half of a team's Ed25519 key.
package struct PublicKey: Sendable, Hashable {
    static let size = 32

    package let bytes: [UInt8]

    /// Nil if there are not exactly 32 bytes. Any 32 bytes are accepted. If they are not the key of a team, every
    /// signature is invalid for this key.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    /// 64 hexadecimal digits.
    package var hex: String { Hexadecimal.text(of: bytes) }
}

/// An Ed25519 signature.
struct Signature: Sendable, Hashable {
    static let size = 64

    let bytes: [UInt8]

    /// Nil if there are not exactly 64 bytes.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }
}

/// Bytes as hexadecimal digits.
enum Hexadecimal {
    static func text(of bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Nil if the text contains anything other than pairs of hexadecimal digits in lower case. So each value has only
    /// one spelling.
    static func bytes(of text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.map(value)
        guard digits.count % 2 == 0, digits.allSatisfy({ $0 != nil }) else { return nil }
        let known = digits.compactMap(\.self)
        return stride(from: 0, to: known.count, by: 2).map { known[$0] << 4 | known[$0 + 1] }
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
