import AnnexLinux
import AnnexPortalServer
import AnnexTestSupport
import Foundation
import Testing

/// Secrets are sealed with the user's key and kept in the store of a group.
@Suite(.timeLimit(.minutes(20))) struct SecretTests {
    private let place: StorePlace
    private let store: GroupStore

    init() throws {
        place = try StorePlace()
        store = try place.opened()
    }

    private func key(_ name: String = "keys") throws -> SecretKey {
        let folder = "\(place.folderPath)/\(name)"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        chmod(folder, 0o700)
        return try SecretKey.find(inPrivates: folder, environment: [:])
    }

    private func secrets(
        _ group: String = "group.one", team: String = "aa", key name: String = "keys"
    ) throws -> GroupSecrets {
        let sealing = SecretSealing(team: team, group: group, key: try key(name))
        return GroupSecrets(store, sealing: sealing)
    }

    private func kind(of body: () throws -> Void) throws -> StoreError.Kind {
        try #require(throws: StoreError.self) { try body() }.kind
    }

    @Test func `S5: a secret is read back by another process of the user and is not on the disk`() throws {
        let secret = Array("correct horse battery staple".utf8)
        try secrets().set("password", to: secret)
        try secrets().set("empty", to: [])
        let other = GroupSecrets(
            try place.opened(), sealing: SecretSealing(team: "aa", group: "group.one", key: try key()))
        #expect(try other.value("password") == secret && other.value("empty") == [] && other.value("none") == nil)
        #expect(try other.names() == ["empty", "password"])
        for name in place.names where name.hasPrefix("store.db") {
            let bytes = try Data(contentsOf: URL(filePath: "\(place.folderPath)/\(name)"))
            #expect(bytes.range(of: Data("battery".utf8)) == nil, "\(name)")
        }
    }

    @Test func `S5: set replaces and remove removes`() throws {
        let secrets = try secrets()
        try secrets.set("a", to: [1])
        try secrets.set("a", to: [2, 3])
        #expect(try secrets.value("a") == [2, 3] && secrets.names() == ["a"])
        #expect(try secrets.remove("a"))
        #expect(try !secrets.remove("a") && secrets.value("a") == nil)
    }

    @Test func `S5: the same secret is sealed differently each time`() async throws {
        try secrets().set("a", to: [1, 2, 3])
        try secrets().set("b", to: [1, 2, 3])
        let first = try place.sqlite("SELECT hex(sealed) FROM secret WHERE name = 'a'")
        try secrets().set("a", to: [1, 2, 3])
        let second = try place.sqlite("SELECT hex(sealed) FROM secret WHERE name = 'a'")
        #expect(first != second && first[0].count == second[0].count)
    }

    @Test func `S5: each changed byte of a sealed secret is noticed`() async throws {
        try secrets().set("a", to: Array("abc".utf8))
        let length = try #require(
            Int(try place.sqlite("SELECT length(sealed) FROM secret").first ?? ""))
        #expect(length == 52, "version, mark of the key, nonce, 3 bytes, tag")
        let hex = String(try place.sqlite("SELECT hex(sealed) FROM secret").first ?? "")
        for byte in 0..<length {
            var digits = Array(hex)
            digits[byte * 2 + 1] = digits[byte * 2 + 1] == "0" ? "1" : "0"
            try place.sqlite("UPDATE secret SET sealed = x'\(String(digits))'")
            let kind = try kind { _ = try secrets().value("a") }
            #expect(kind == ((1...8).contains(byte) ? .otherKey : .altered), "byte \(byte)")
        }
        try place.sqlite("UPDATE secret SET sealed = x'\(hex)'")
        #expect(try secrets().value("a") == Array("abc".utf8))
    }

    @Test(arguments: [
        "x''", "x'01'", "substr(sealed, 1, 20)", "substr(sealed, 1, 49)", "zeroblob(48)",
        "zeroblob(49)", "zeroblob(70000)",
    ])
    func `S5: a sealed secret of a wrong length is noticed`(blob: String) async throws {
        try secrets().set("a", to: [1])
        try place.sqlite("UPDATE secret SET sealed = \(blob)")
        #expect(try kind { _ = try secrets().value("a") } == .altered)
    }

    @Test func `S5: a sealed secret cannot be moved to another name or group or team`() async throws {
        try secrets().set("a", to: [1])
        try place.sqlite("INSERT INTO secret SELECT 'b', sealed FROM secret")
        #expect(try kind { _ = try secrets().value("b") } == .altered)
        #expect(try kind { _ = try secrets("group.two").value("a") } == .altered)
        #expect(try kind { _ = try secrets(team: "ab").value("a") } == .altered)
        // If different parts give the same bytes when they are joined, they must still count as different parts.
        #expect(try kind { _ = try secrets("agroup.one", team: "a").value("a") } == .altered)
        #expect(try secrets().value("a") == [1])
    }

    @Test func `S5: another key is told from damage`() throws {
        try secrets().set("a", to: [1])
        let error = try #require(throws: StoreError.self) { _ = try secrets(key: "others").value("a") }
        #expect(error.kind == .otherKey && error.remedy?.contains("earlier key") == true)
        try secrets(key: "others").set("a", to: [2])
        #expect(try secrets(key: "others").value("a") == [2])
    }

    @Test func `S5: the limits of secrets hold`() async throws {
        let secrets = try secrets()
        let most = [UInt8](repeating: 7, count: 64 << 10)
        try secrets.set("a", to: most)
        #expect(try secrets.value("a") == most)
        #expect(try kind { try secrets.set("a", to: most + [7]) } == .full)
        #expect(try kind { try secrets.set("", to: [1]) } == .invalid)
        #expect(try kind { _ = try secrets.value(String(repeating: "n", count: 257)) } == .invalid)
        try place.sqlite(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1023)
            INSERT INTO secret SELECT 'n' || i, x'00' FROM n
            """)
        #expect(try kind { try secrets.set("one more", to: [1]) } == .full)
        #expect(try secrets.names().count == 1024)
        try secrets.set("a", to: [1])
    }
}
