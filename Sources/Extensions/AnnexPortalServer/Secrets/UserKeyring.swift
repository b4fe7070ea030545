internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// The kernel's keyring of the user (user-keyring(7)).
enum UserKeyring {
    static let description = "annex:secrets"

    /// Reads the key that the user has put into the keyring.
    static func key(_ description: String) throws(StoreError) -> KeyMemory {
        try unsafe KeyMemory.filled { (room) throws(StoreError) in
            // SAFETY: the call writes at most the room's bytes, and returns the size of the whole key.
            let size = unsafe annex_keyring_read(description, room.baseAddress, room.count)
            guard size >= 0 else { throw error(Int32(-size), of: description) }
            guard size == room.count else {
                throw StoreError(
                    .noKey, what: "the key \(description) in the user's keyring has \(size) bytes",
                    remedy:
                        "put a key of \(KeyMemory.size) bytes there: keyctl padd user \(description) @u < FILE")
            }
        }
    }

    private static func error(_ number: Int32, of description: String) -> StoreError {
        if [ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(number) {
            return StoreError(
                .noKey, what: "the user's keyring has no key \(description): \(Errno.name(number))",
                remedy:
                    "put one there after each start of the machine: keyctl padd user \(description) @u < FILE"
            )
        }
        return StoreError(
            .noKey,
            what: "the user's keyring cannot be read: \(Errno.name(number)) (\(Errno.text(number)))",
            remedy: "unset \(SecretKey.choiceVariable), so that the key is kept in a file")
    }
}
