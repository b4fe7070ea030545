import AnnexSigning
import AnnexTestSupport
import Foundation
import Testing

/// Team keys, their files and their identifiers.
@Suite(.timeLimit(.minutes(20))) struct KeyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path }

    private func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    private func mode(_ name: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int)
    }

    /// The first test vector of RFC 8032.
    private let vector = """
        annex-team-key 1
        team RFC 8032
        public d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a
        secret 9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60

        """

    private func put(_ text: String, as name: String = "key", mode: mode_t = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        chmod(path(name), mode)
    }

    @Test func `P8: a key is written for its user alone and read again`() throws {
        let made = try TeamKey(named: "Example Pictures").written(to: path("key"))
        #expect(try mode("key") == 0o600 && mode("key.pub") == 0o644)
        let read = try TeamKey(readingFrom: path("key"))
        #expect(read.team == made && read.team.name == "Example Pictures")
        let team = try TeamFile.read(path("key.pub"))
        #expect(team == made && team.name == made.name)
        #expect(try !text("key.pub").contains("secret"))
        #expect(folder.names == ["key", "key.pub"], "no draft is left")
    }

    @Test func `P8: each key is another one`() throws {
        let first = try TeamKey(named: "Same").team
        let second = try TeamKey(named: "Same").team
        #expect(first != second && first.identifier != second.identifier && first.name == second.name)
    }

    @Test func `P8: a key is never overwritten`() throws {
        _ = try TeamKey(named: "First").written(to: path("key"))
        let kept = try text("key")
        let error = try #require(throws: SigningError.self) {
            _ = try TeamKey(named: "Second").written(to: path("key"))
        }
        #expect(error.code == .system && error.what.contains("EEXIST") && error.remedy?.contains("never") == true)
        try FileManager.default.removeItem(atPath: path("key.pub"))
        #expect(throws: SigningError.self) { _ = try TeamKey(named: "Third").written(to: path("key")) }
        #expect(try text("key") == kept && folder.names == ["key"])
        symlink("elsewhere", path("link"))
        #expect(throws: SigningError.self) { _ = try TeamKey(named: "Fourth").written(to: path("link")) }
        #expect(folder.names == ["key", "link"])
    }

    @Test func `P8: keys and identifiers are those of the standard`() throws {
        try put(vector)
        let team = try TeamKey(readingFrom: path("key")).team
        #expect(team.identifier == "X3YAYRBD4G" && team.name == "RFC 8032")
        #expect(team.publicKey.hex.hasPrefix("d75a9801"))
        #expect("\(team)" == "RFC 8032 (X3YAYRBD4G)")
    }

    @Test(arguments: [0o640, 0o604, 0o660]) func `P8: a secret key that others can read is refused`(mode: Int) throws {
        try put(vector, mode: mode_t(mode))
        let error = try #require(throws: SigningError.self) { _ = try TeamKey(readingFrom: path("key")).team }
        #expect(error.description.contains("EPERM") && error.description.contains("chmod 600"))
    }

    @Test(arguments: ["", "\n", "annex-team-key 1\n", "annex-team-key 2\n", "secret "])
    func `P8: a file that is no key is refused`(text: String) throws {
        try put(text)
        #expect(throws: SigningError.self) { _ = try TeamKey(readingFrom: path("key")).team }
        #expect(throws: SigningError.self) { _ = try TeamFile.read(path("key")) }
        try put(vector + text)
        if !text.isEmpty {
            #expect(throws: SigningError.self) { _ = try TeamKey(readingFrom: path("key")).team }
        }
    }

    @Test func `P8: a key with one changed byte is refused`() throws {
        let bytes = Array(vector.utf8)
        var random = SeededRandom(seed: SeededRandom.fresh())
        for place in bytes.indices where bytes[place] != UInt8(ascii: "R") {
            var changed = bytes
            changed[place] = UInt8.random(in: 0...255, using: &random)
            try Data(changed).write(to: URL(filePath: path("key")))
            chmod(path("key"), 0o600)
            // If only the name or the case of the digits differs, the file still gives the same key.
            guard let team = try? TeamKey(readingFrom: path("key")).team else { continue }
            #expect(team.publicKey.hex.hasPrefix("d75a9801") && team.identifier == "X3YAYRBD4G", "byte \(place)")
        }
    }

    @Test func `P8: a pipe or a directory is no key and keeps no one waiting`() throws {
        mkfifo(path("pipe"), 0o600)
        for name in ["pipe", ".", "missing"] {
            #expect(throws: SigningError.self) { _ = try TeamKey(readingFrom: path(name)).team }
            #expect(throws: SigningError.self) { _ = try TeamFile.read(path(name)) }
        }
    }

    @Test(arguments: ["", " a", "a ", "two\nlines", "\u{1B}[31m", "\u{202E}txt", String(repeating: "x", count: 65)])
    func `TTY-03: a name of a team that could mislead is refused`(name: String) throws {
        let error = try #require(throws: SigningError.self) { _ = try TeamKey(named: name).team }
        #expect(!error.description.contains("\u{1B}") && !error.description.contains("\u{202E}"))
    }
}

extension TeamKey {
    /// Writes the key, and returns its team.
    func written(to path: String) throws -> Team {
        try write(to: path)
        return team
    }
}
