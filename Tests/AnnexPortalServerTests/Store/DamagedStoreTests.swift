import AnnexPortal
import AnnexPortalServer
import AnnexTestSupport
import Foundation
import Testing

/// Files that are not stores, damaged stores, and full disks.
@Suite(.timeLimit(.minutes(20))) struct DamagedStoreTests {
    private let place: StorePlace

    init() throws { place = try StorePlace() }

    private func expectDamaged(_ kind: StoreError.Kind = .damaged) throws {
        let before = try place.bytes()
        let error = try #require(place.failure())
        #expect(error.kind == kind && error.place == place.path, "\(error)")
        #expect(error.remedy?.contains("nothing was changed") == true, "\(error)")
        #expect(try place.bytes() == before, "the file is untouched")
    }

    @Test(arguments: [1, 15, 99, 512, 4096, 10_000])
    func `S2: random bytes are no store and stay as they are`(count: Int) throws {
        var random = SeededRandom(seed: UInt64(count))
        try place.write(Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }))
        try expectDamaged()
        let error = try #require(place.failure())
        #expect(error.remedy?.contains("store.db") == true && "\(error)".hasPrefix(place.path))
    }

    @Test func `S2: a store that was cut short is refused and stays as it is`() throws {
        _ = try place.opened().change((0..<100).map { DefaultsEntry("\($0)", String(repeating: "v", count: 500)) })
        let whole = try place.bytes()
        for size in [50, 100, 1000, 4096, 8192, whole.count - 4096] {
            try place.write(whole.prefix(size))
            let before = try place.bytes()
            do throws(StoreError) {
                _ = try GroupStore(at: place.path).snapshot()
                Issue.record("\(size) bytes of \(whole.count) pass for a store")
            } catch {
                #expect(error.kind == .damaged, "\(size): \(error)")
            }
            #expect(try place.bytes() == before, "\(size)")
        }
    }

    @Test func `S2: damage in the middle is an error and never a crash`() throws {
        let entries = (0..<200).map { DefaultsEntry("\($0)", String(repeating: "v", count: 500)) }
        _ = try place.opened().change(entries)
        let whole = try place.bytes()
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        for _ in 0..<60 {
            var bytes = whole
            for _ in 0..<20 {
                bytes[Int.random(in: 100..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            try place.write(bytes)
            do throws(StoreError) {
                let store = try GroupStore(at: place.path)
                _ = try store.snapshot()
                _ = try store.faults()
                _ = try store.change([DefaultsEntry("x", "y")])
                _ = try store.setBoard(to: [], by: "")
                try store.append([StoredNews(kind: 1, path: "p", origin: "o")])
            } catch {
                #expect([.damaged, .system, .full].contains(error.kind), "seed \(seed): \(error)")
            }
            for name in place.names { try FileManager.default.removeItem(atPath: "\(place.folderPath)/\(name)") }
        }
    }

    @Test func `S2: the database of another program is refused and stays as it is`() async throws {
        try place.sqlite("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
        chmod(place.path, 0o600)
        try expectDamaged()
        try place.sqlite("PRAGMA journal_mode = WAL; DROP TABLE theirs; PRAGMA application_id = 7")
        try expectDamaged()
        #expect(place.names.filter { !$0.hasPrefix("store.db") } == [])
    }

    @Test func `S2: a store of a newer version is refused and stays as it is`() async throws {
        _ = try place.opened()
        try place.sqlite("PRAGMA user_version = 2")
        try expectDamaged(.newer)
        #expect(place.failure()?.remedy?.contains("update Annex") == true)
    }

    @Test func `S2: a link or a folder in place of the store is refused`() throws {
        let other = "\(place.folderPath)/other.db"
        _ = try GroupStore(at: other)
        try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: other)
        #expect(place.failure()?.kind == .unsafe)
        try FileManager.default.removeItem(atPath: place.path)
        try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: false)
        #expect(place.failure()?.kind == .unsafe)
        try FileManager.default.removeItem(atPath: place.path)
        #expect(mkfifo(place.path, 0o600) == 0)
        #expect(place.failure()?.kind == .unsafe)
        try FileManager.default.removeItem(atPath: place.path)
        #expect(link(other, place.path) == 0)
        #expect(place.failure()?.kind == .unsafe)
    }

    @Test func `S2: a link on the way to the store is not followed`() throws {
        let real = "\(place.folderPath)/real"
        try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: "\(place.folderPath)/way", withDestinationPath: real)
        #expect(throws: StoreError.self) { _ = try GroupStore(at: "\(place.folderPath)/way/store.db") }
    }

    @Test func `S2: a store that other users can change is refused`() throws {
        _ = try place.opened()
        chmod(place.path, 0o622)
        #expect(place.failure()?.kind == .unsafe && place.failure()?.remedy?.contains("chmod") == true)
        chmod(place.path, 0o600)
        #expect(place.failure() == nil)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root: only root can give files away"))
    func `S2: the store of another user is refused`() throws {
        _ = try place.opened()
        chown(place.path, 12_345, 12_345)
        #expect(place.failure()?.kind == .unsafe && place.failure()?.what.contains("12345") == true)
    }

    @Test func `S2: a new store is for its user alone`() throws {
        let store = try place.opened()
        _ = try store.change([DefaultsEntry("a", "1")])
        #expect(place.names == ["store.db", "store.db-shm", "store.db-wal"])
        for name in place.names {
            let facts = try FileManager.default.attributesOfItem(atPath: "\(place.folderPath)/\(name)")
            #expect(facts[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        withExtendedLifetime(store) {}
    }

    @Test(arguments: [100_000, 300_000, 700_000])
    func `S2: without room on the disk a change fails and the data stay as they were`(bytes: Int) async throws {
        _ = try place.opened().change([DefaultsEntry("first", "1")])
        let program = try await Program.run(
            "writes-defaults", ["fills", place.path, "\(bytes)"], in: TemporaryFolder())
        let words = program.output.split(whereSeparator: \.isWhitespace)
        let count = try #require(Int(words.first ?? ""), "\(program)")
        #expect(words.last == "full", "\(program)")
        let store = try place.opened()
        let snapshot = try store.snapshot()
        #expect(snapshot.entries.count == count + 1 && snapshot.generation == UInt64(count + 1))
        #expect(try store.faults() == [])
        _ = try store.change([DefaultsEntry("after", "1")])
    }

    @Test func `S2: errors tell members no path of the host`() throws {
        try place.write(Data("foreign".utf8))
        let error = PortalError(try #require(place.failure()))
        #expect(error.code == .damaged && !error.description.contains(place.folderPath), "\(error)")
    }
}
