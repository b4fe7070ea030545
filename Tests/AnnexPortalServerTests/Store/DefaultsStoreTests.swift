import AnnexPortal
import AnnexPortalServer
import Foundation
import Testing

/// The shared defaults in the store of a group.
@Suite(.timeLimit(.minutes(20))) struct DefaultsStoreTests {
    private let place: StorePlace

    init() throws { place = try StorePlace() }

    @Test func `S2: one connection finds what another has set or removed`() throws {
        let (one, other) = (try place.opened(), try place.opened())
        #expect(try one.change([DefaultsEntry("b", "2"), DefaultsEntry("a", "1")]) == 1)
        #expect(try other.snapshot().entries == [DefaultsEntry("a", "1"), DefaultsEntry("b", "2")])
        #expect(try other.change([DefaultsEntry("a", nil), DefaultsEntry("c", "")]) == 2)
        #expect(try one.snapshot().entries == [DefaultsEntry("b", "2"), DefaultsEntry("c", "")])
        #expect(try one.generation() == 2 && one.snapshot().generation == 2)
    }

    @Test func `S2: values outlive their connection`() throws {
        _ = try place.opened().change([DefaultsEntry("a", "1")])
        #expect(try place.opened().snapshot().entries == [DefaultsEntry("a", "1")])
        #expect(place.names == ["store.db"], "the last connection has copied its log")
    }

    @Test func `S2: the data version tells of changes by others alone`() throws {
        let (one, other) = (try place.opened(), try place.opened())
        let (before, own) = (try one.dataVersion(), try other.dataVersion())
        _ = try other.change([DefaultsEntry("a", "1")])
        #expect(try one.dataVersion() != before)
        #expect(try other.dataVersion() == own)
    }

    @Test func `S2: a change that changes nothing is no new generation`() throws {
        let store = try place.opened()
        #expect(try store.change([DefaultsEntry("a", "1")]) == 1)
        #expect(try store.change([DefaultsEntry("a", "1"), DefaultsEntry("b", nil)]) == 1)
        #expect(try store.change([]) == 1)
        #expect(try store.change([DefaultsEntry("a", "2")]) == 2)
    }

    @Test func `S2: keys are compared by their bytes`() throws {
        let store = try place.opened()
        let entries = [DefaultsEntry("e\u{301}", "1"), DefaultsEntry("\u{e9}", "2"), DefaultsEntry("a\0b", "3")]
        _ = try store.change(entries)
        let found = try store.snapshot().entries.map { Array($0.key.utf8) }
        #expect(Set(found) == Set(entries.map { Array($0.key.utf8) }), "no two are one")
    }

    @Test func `S2: the last entry of a key in a change is the one that stays`() throws {
        let store = try place.opened()
        _ = try store.change([DefaultsEntry("a", "1"), DefaultsEntry("a", nil), DefaultsEntry("a", "22")])
        #expect(try store.snapshot().entries == [DefaultsEntry("a", "22")])
    }

    @Test(arguments: ["", String(repeating: "k", count: 257)])
    func `S2: a key of a wrong length is refused and nothing is changed`(key: String) throws {
        let store = try place.opened()
        let error = try #require(throws: StoreError.self) {
            _ = try store.change([DefaultsEntry("a", "1"), DefaultsEntry(key, "2")])
        }
        #expect(error.kind == .invalid && error.remedy != nil)
        #expect(try store.snapshot() == place.opened().snapshot() && store.generation() == 0)
        _ = try store.change([DefaultsEntry(String(repeating: "k", count: 256), "2")])
    }

    @Test func `S2: a value that is too large is refused and nothing is changed`() throws {
        let store = try place.opened()
        _ = try store.change([DefaultsEntry(key: "a", value: [UInt8](repeating: 1, count: 64 << 10))])
        let error = try #require(throws: StoreError.self) {
            _ = try store.change([DefaultsEntry(key: "a", value: [UInt8](repeating: 1, count: 64 << 10 + 1))])
        }
        #expect(error.kind == .full && error.remedy?.contains("container") == true)
        #expect(try store.generation() == 1)
    }

    @Test func `S2: the limit of all bytes holds to the byte and a full store can be emptied`() throws {
        let store = try place.opened()
        // Sixteen values with their keys are exactly 1 MiB.
        for number in 0..<16 {
            let key = number < 10 ? "0\(number)" : "\(number)"
            _ = try store.change([DefaultsEntry(key: key, value: [UInt8](repeating: 1, count: 64 << 10 - 2))])
        }
        let before = try store.snapshot()
        let error = try #require(throws: StoreError.self) { _ = try store.change([DefaultsEntry("x", "")]) }
        #expect(error.kind == .full && error.remedy?.contains("1048576") == true)
        #expect(try store.snapshot() == before)
        _ = try store.change([DefaultsEntry("00", nil), DefaultsEntry("x", "y")])
        _ = try place.opened().change([DefaultsEntry("z", "1")])
    }

    @Test func `S2: the limit of keys holds`() throws {
        let store = try place.opened()
        _ = try store.change((0..<4096).map { DefaultsEntry("\($0)", "") })
        let before = try store.snapshot()
        let error = try #require(throws: StoreError.self) { _ = try store.change([DefaultsEntry("x", "")]) }
        #expect(error.kind == .full && before.entries.count == 4096)
        #expect(try store.snapshot() == before)
        _ = try store.change([DefaultsEntry("7", nil), DefaultsEntry("x", "")])
    }

    @Test func `S2: changes of many threads through several connections lose nothing`() async throws {
        let stores = try (0..<4).map { _ in try place.opened() }
        try await withThrowingTaskGroup { group in
            for (number, store) in stores.enumerated() {
                group.addTask { for turn in 0..<10 { _ = try store.change([DefaultsEntry("\(number)-\(turn)", "v")]) } }
            }
            try await group.waitForAll()
        }
        let snapshot = try stores[0].snapshot()
        #expect(snapshot.generation == 40 && snapshot.entries.count == 40)
    }

    @Test func `S2: a store that the user has removed is made anew`() throws {
        let store = try place.opened()
        _ = try store.change([DefaultsEntry("a", "1")])
        for name in place.names { try FileManager.default.removeItem(atPath: "\(place.folderPath)/\(name)") }
        #expect(try store.snapshot().entries == [])
        _ = try store.change([DefaultsEntry("b", "2")])
        #expect(try place.opened().snapshot().entries == [DefaultsEntry("b", "2")])
    }

    @Test func `S2: a store whose folder has gone gives an error and works again when it is back`() throws {
        let store = try place.opened()
        try FileManager.default.removeItem(atPath: place.folderPath)
        #expect(throws: StoreError.self) { _ = try store.change([DefaultsEntry("a", "1")]) }
        try FileManager.default.createDirectory(atPath: place.folderPath, withIntermediateDirectories: false)
        _ = try store.change([DefaultsEntry("b", "2")])
        #expect(try place.opened().snapshot().entries == [DefaultsEntry("b", "2")])
    }
}
