internal import AnnexLinux
internal import Glibc

/// A team's key pair, which signs apps. The secret half leaves libsodium's guarded memory only when it is written to
/// the key's file.
package struct TeamKey: ~Copyable {
    package let team: Team
    private let secret: SigningKey

    private init(team: Team, secret: consuming SigningKey) {
        self.team = team
        self.secret = secret
    }

    /// Makes a new random key.
    /// - Parameter name: the team's name, printable and at most 64 bytes.
    package init(named name: String) throws(SigningError) {
        let secret = try SigningKey()
        guard let team = Team(name: name, publicKey: secret.publicKey) else {
            throw SigningError(
                .damagedKey, what: "is no name for a team", place: "\(Escaped(quoting: name.utf8))",
                remedy: "use 1 to \(Team.longestName) bytes of printable text, without blanks at either end")
        }
        self.init(team: team, secret: secret)
    }

    /// Signs the statement of a seal.
    func sign(_ statement: Digest) throws(SigningError) -> Signature { try secret.sign(statement) }
}

// The file with the secret key has the same lines as the file with the public key, except for the first line. A line
// with the secret seed follows.

extension TeamKey {
    /// The suffix of the file with the public key.
    package static let publicSuffix = ".pub"
    private static let secretWord = "secret "
    private static let secretLine = secretWord.utf8.count + SigningKey.seedSize * 2 + 1

    /// Writes the secret key to a new file that only the present user can read. Writes the public key to a file
    /// beside it with the suffix `.pub`.
    ///
    /// - Throws: an error if one of the two files exists. Neither file is ever overwritten.
    package func write(to path: String) throws(SigningError) {
        let place = KeyFolder.split(path)
        do throws(SystemError) {
            let folder = try KeyFolder(of: path)
            try Self.write(Array(TeamFile.text(of: team).utf8), as: place.name + Self.publicSuffix, to: folder)
            do throws(SystemError) {
                try writeSecret(as: place.name, to: folder)
            } catch {
                folder.remove(place.name + Self.publicSuffix)
                throw error
            }
        } catch {
            throw SigningError(
                .system, what: "\(Escaped(error.cause))", place: "\(Escaped(path))",
                remedy: error.errno == EEXIST ? "name another file: a key is never overwritten" : error.remedy)
        }
    }

    private static func write(
        _ bytes: [UInt8], as name: String, to folder: borrowing KeyFolder
    ) throws(SystemError) {
        var failure: SystemError?
        unsafe bytes.withUnsafeBytes { room in
            do throws(SystemError) {
                // SAFETY: the array outlives the call.
                try unsafe folder.make(name, mode: 0o644, bytes: room)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func writeSecret(as name: String, to folder: borrowing KeyFolder) throws(SystemError) {
        let head = Array((TeamFile.text(of: team, head: TeamFile.secretHead) + Self.secretWord).utf8)
        let size = head.count + SigningKey.seedSize * 2 + 1
        let text: SecretMemory
        do throws(SigningError) {
            text = try SecretMemory(count: size)
        } catch {
            throw SystemError("sodium_malloc", errno: ENOMEM)
        }
        // SAFETY: the head fits. After the head, there is room for the digits and the byte that ends them.
        unsafe UnsafeMutableRawBufferPointer(start: text.start, count: size).copyBytes(from: head)
        unsafe secret.writeSeed(to: text.bytes.advanced(by: head.count))
        unsafe text.bytes[size - 1] = UInt8(ascii: "\n")
        try unsafe folder.make(name, mode: 0o600, bytes: UnsafeRawBufferPointer(start: text.start, count: size))
    }

    /// Reads a key from its file. The file must belong to this user, and no other user may have access to it.
    package init(readingFrom path: String) throws(SigningError) {
        let place = "\(Escaped(path))"
        let text = try SecretMemory(count: TeamFile.longest)
        let count: Int
        do throws(SystemError) {
            let file = try KeyFolder.open(path)
            try Self.checkRights(of: try file.status(), path: path)
            // SAFETY: the read stays within the memory.
            count = try unsafe file.fill(UnsafeMutableRawBufferPointer(start: text.start, count: text.count), from: 0)
        } catch {
            throw SigningError(error, place: place)
        }
        try self.init(text, count: count, place: place)
    }

    private init(_ text: borrowing SecretMemory, count: Int, place: String) throws(SigningError) {
        let headSize = max(0, count - Self.secretLine)
        // SAFETY: both ranges lie within the bytes that were read. Only the text before the secret is copied.
        let head = unsafe String(
            decoding: UnsafeRawBufferPointer(start: text.start, count: headSize), as: UTF8.self)
        let word = unsafe String(
            decoding: UnsafeRawBufferPointer(
                start: text.start.advanced(by: headSize), count: min(Self.secretWord.utf8.count, count - headSize)),
            as: UTF8.self)
        let team = try TeamFile.team(in: head, head: TeamFile.secretHead, place: place)
        guard word == Self.secretWord, count < text.count,
            let seed = try text.seed(at: headSize + Self.secretWord.utf8.count)
        else { throw Self.damaged(place) }
        let secret = try SigningKey(seed: seed)
        guard secret.publicKey == team.publicKey else { throw Self.damaged(place) }
        self.init(team: team, secret: secret)
    }

    private static func checkRights(of status: FileStatus, path: String) throws(SystemError) {
        guard status.user == geteuid(), status.mode & 0o077 == 0 else {
            throw SystemError(
                "open", errno: EPERM, path: path,
                remedy: "a secret key belongs to its user alone: chmod 600 the file, or make a new key")
        }
    }

    private static func damaged(_ place: String) -> SigningError {
        SigningError(
            .damagedKey, what: "holds no secret key that belongs to its public key", place: place,
            remedy: "restore the file that annex key new wrote")
    }
}
