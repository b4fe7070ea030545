import AnnexPortalServer
import AnnexTestSupport
import CAnnexLinux
import Foundation
import Testing

/// The key of the user's secrets and its three sources.
@Suite(.timeLimit(.minutes(20))) struct SecretKeyTests {
    private let place: StorePlace
    private let store: GroupStore

    init() throws {
        place = try StorePlace()
        store = try place.opened()
    }

    private var file: String { "\(place.folderPath)/secrets.key" }

    private func find(_ environment: [String: String] = [:]) throws -> SecretKey {
        try SecretKey.find(inPrivates: place.folderPath, environment: environment)
    }

    private func failure(_ environment: [String: String] = [:]) throws -> StoreError {
        try #require(throws: StoreError.self) { _ = try find(environment) }
    }

    /// Whether each of two keys opens the secrets of the other.
    private func areSame(_ one: SecretKey, _ other: SecretKey) throws -> Bool {
        try GroupSecrets(store, sealing: SecretSealing(team: "aa", group: "group.one", key: one)).set("probe", to: [1])
        let read = try? GroupSecrets(store, sealing: SecretSealing(team: "aa", group: "group.one", key: other)).value(
            "probe")
        return read == [1]
    }

    private func put(_ bytes: [UInt8], at path: String, mode: mode_t = 0o600) throws {
        try Data(bytes).write(to: URL(filePath: path))
        chmod(path, mode)
    }

    @Test func `S5: a key file is made once for its user alone`() throws {
        let first = try find()
        #expect(first.source == .file(file))
        let facts = try FileManager.default.attributesOfItem(atPath: file)
        #expect(facts[.posixPermissions] as? Int == 0o600 && facts[.size] as? Int == 32)
        #expect(try areSame(first, find()))
        #expect(place.names.filter { $0.contains("key") } == ["secrets.key"], "no draft is left")
    }

    @Test func `S5: processes that make the key at the same time use one key`() async throws {
        for _ in 0..<10 {
            let keys = try await withThrowingTaskGroup(of: SecretKey.self) { group in
                for _ in 0..<8 { group.addTask { try find() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for key in keys { #expect(try areSame(keys[0], key)) }
            try FileManager.default.removeItem(atPath: file)
        }
    }

    @Test(arguments: [0o644, 0o640, 0o660, 0o606, 0o400, 0o4600])
    func `S5: a key file with another mode is refused`(mode: Int) throws {
        _ = try find()
        chmod(file, mode_t(mode))
        let error = try failure()
        #expect(error.kind == .unsafe && error.place == file && error.remedy?.contains("chmod 600") == true)
        chmod(file, 0o600)
        _ = try find()
    }

    @Test(.enabled(if: geteuid() == 0, "needs root: only root can give files away"))
    func `S5: a key file of another user is refused`() throws {
        _ = try find()
        chown(file, 12_345, 12_345)
        #expect(try failure().kind == .unsafe && failure().what.contains("12345"))
    }

    @Test func `S5: a folder that other users can write to gets no key`() throws {
        chmod(place.folderPath, 0o777)
        #expect(try failure().kind == .noKey && failure().remedy != nil)
        #expect(!place.names.contains("secrets.key"))
    }

    @Test func `S5: a link or a pipe in place of the key file is refused`() throws {
        try put([UInt8](repeating: 1, count: 32), at: "\(place.folderPath)/elsewhere")
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "elsewhere")
        #expect(try failure().kind == .noKey)
        try FileManager.default.removeItem(atPath: file)
        #expect(mkfifo(file, 0o600) == 0)
        #expect(try failure().kind == .unsafe)
    }

    @Test(arguments: [0, 31, 33, 4096])
    func `S5: a key of a wrong size is refused in every source`(count: Int) throws {
        let bytes = [UInt8](repeating: 1, count: count)
        try put(bytes, at: file)
        #expect(try failure().kind == .noKey && failure().what.contains("\(count) bytes"))
        #expect(try Data(contentsOf: URL(filePath: file)) == Data(bytes))
        try put(bytes, at: "\(place.folderPath)/annex.secrets")
        #expect(try failure(["CREDENTIALS_DIRECTORY": place.folderPath]).kind == .noKey)
    }

    @Test func `S5: a credential of systemd comes first and no file is made`() throws {
        try put([UInt8](repeating: 5, count: 32), at: "\(place.folderPath)/annex.secrets", mode: 0o400)
        let environment = ["CREDENTIALS_DIRECTORY": place.folderPath, "ANNEX_SECRETS_KEY": "keyring"]
        let key = try find(environment)
        #expect(key.source == .credential && !place.names.contains("secrets.key"))
        #expect(try areSame(key, find(environment)))
        #expect(try !areSame(key, find()))
    }

    @Test func `S5: credentials of another purpose do not matter`() throws {
        #expect(try find(["CREDENTIALS_DIRECTORY": "/nonexistent", "ANNEX_SECRETS_KEY": ""]).source == .file(file))
    }

    @Test func `S5: an unknown choice is refused and no file is made`() throws {
        let error = try failure(["ANNEX_SECRETS_KEY": "vault\u{1b}[0m"])
        #expect(error.kind == .noKey && !error.what.contains("\u{1b}") && !place.names.contains("secrets.key"))
    }

    private static var hasKeyring: Bool { annex_keyring_read("annex:test-none", nil, 0) == -Int(ENOKEY) }

    /// The test uses its own description for the key, so that the user's key stays unchanged.
    @Test(.enabled(if: hasKeyring, "the kernel's keyring cannot be used here"))
    func `S5: a key in the keyring of the user is used and none after its removal`() throws {
        let description = "annex:test-\(UUID().uuidString)"
        let bytes = (0..<32).map { UInt8($0) }
        #expect(annex_keyring_add(description, bytes, 32) == 0)
        defer { _ = annex_keyring_remove(description) }
        let key = try SecretKey.inKeyring(description)
        #expect(try key.source == .keyring && areSame(key, SecretKey.inKeyring(description)))
        try put(bytes, at: file)
        #expect(try areSame(key, find()), "the source of a key does not matter")
        for count in [31, 33] {
            #expect(annex_keyring_add(description, [UInt8](repeating: 1, count: count), count) == 0)
            let error = try #require(throws: StoreError.self) { _ = try SecretKey.inKeyring(description) }
            #expect(error.kind == .noKey && error.what.contains("\(count) bytes"))
        }
        #expect(annex_keyring_remove(description) == 0)
        #expect(throws: StoreError.self) { _ = try SecretKey.inKeyring(description) }
    }

    @Test(.enabled(if: hasKeyring, "the kernel's keyring cannot be used here"))
    func `S5: a chosen keyring without a key is an error with its remedy`() throws {
        guard annex_keyring_read("annex:secrets", nil, 0) == -Int(ENOKEY) else { return }
        let error = try failure(["ANNEX_SECRETS_KEY": "keyring"])
        #expect(error.kind == .noKey && error.remedy?.contains("keyctl padd") == true)
        #expect(!place.names.contains("secrets.key"))
    }
}
