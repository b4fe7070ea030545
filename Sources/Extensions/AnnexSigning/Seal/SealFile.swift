internal import AnnexLinux

/// The file `_CodeSignature/Seal` of an app: a team's signature, followed by the seal.
///
/// Seal and signature are one file, so that a rename replaces both at once. The file begins with the line `annex-seal
/// 1`, the team's public key (32 bytes) and the signature (64 bytes). After them come the length of the team's name
/// (u8), the name, and the seal.
package struct SealFile: Sendable {
    package let team: Team
    package let seal: Seal
    /// The digest of the seal's bytes.
    package let contentDigest: Digest
    /// The whole file.
    package let bytes: [UInt8]

    /// The directory in an app that holds the file, and the file's name in that directory.
    static let directory = "_CodeSignature"
    static let name = "Seal"
    static var path: String { "\(directory)/\(name)" }

    private static let head = Array("annex-seal 1\n".utf8)
    /// The longest file in bytes.
    package static let mostBytes = Seal.mostBytes + 512

    /// Signs a seal.
    /// - Throws: an error if the seal is too large. Only an app with thousands of long paths has such a large seal.
    package init(_ seal: Seal, signedBy key: borrowing TeamKey) throws(SigningError) {
        let encoded = seal.encoded
        guard encoded.count <= Seal.mostBytes else {
            throw SigningError(
                .unsafeContents, what: "needs a seal of more than \(ByteCount(Seal.mostBytes))", place: seal.app,
                remedy: "use fewer files or shorter paths")
        }
        team = key.team
        self.seal = seal
        contentDigest = Seal.digest(of: encoded)
        let signature = try key.sign(Self.statement(of: key.team, on: contentDigest))
        let name = Array(key.team.name.utf8)
        bytes =
            Self.head + key.team.publicKey.bytes + signature.bytes + [UInt8(truncatingIfNeeded: name.count)] + name
            + encoded
    }

    /// Reads and verifies the seal file of an app that is not trusted. This initializer checks the signature before
    /// it reads anything in the seal.
    /// - Returns: nil if the bytes are not a seal file, or if the signature is not the team's signature.
    package init?(verifying bytes: [UInt8]) {
        guard bytes.count <= Self.mostBytes else { return nil }
        var reader = SealReader(bytes[...])
        guard let head = reader.next(Self.head.count), head.elementsEqual(Self.head),
            let key = reader.next(PublicKey.size).flatMap(PublicKey.init),
            let signature = reader.next(Signature.size).flatMap(Signature.init),
            let length: UInt8 = reader.nextNumber(),
            let name = reader.next(Int(length)).flatMap({ String(validating: $0, as: UTF8.self) }),
            let team = Team(name: name, publicKey: key)
        else { return nil }
        let digest = Seal.digest(of: reader.remaining)
        guard Sodium.isValid(signature, over: Self.statement(of: team, on: digest), by: key),
            let seal = Seal(reader.remaining)
        else { return nil }
        (self.team, self.seal, contentDigest, self.bytes) = (team, seal, digest, bytes)
    }

    /// The statement that the team signs. It consists of the team's key and name, and the digest of the seal. The name
    /// is part of the statement, so that a forger cannot show another name for the team.
    private static func statement(of team: Team, on seal: Digest) -> Digest {
        let name = Array(team.name.utf8)
        return Digest(
            of: team.publicKey.bytes + [UInt8(truncatingIfNeeded: name.count)] + name + seal.bytes, for: .statement)
    }
}
