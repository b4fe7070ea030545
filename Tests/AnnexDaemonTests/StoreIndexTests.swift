import AnnexChannel
import AnnexRegistry
import AnnexTestSupport
import Testing

@testable import AnnexDaemon

@Suite struct StoreIndexTests {
    private func app(_ name: String, bytes: UInt64) -> StoreIndex.App {
        func build(_ version: String) -> StoreIndex.Build {
            StoreIndex.Build(
                version: version, digest: version == "2" ? "aa" : nil, folder: "app-\(name)-\(version)", name: "A.app",
                bytes: bytes)
        }
        var app = StoreIndex.App(
            name, elected: build("1"), others: bytes < 100 ? [build("2")] : [],
            choices: [name + ".x": false, name + ".y": true])
        app.pinned = "1"
        app.grants = [name + ".x": ["com.apple.security.network.client", "a.b"], name + ".z": []]
        return app
    }

    @Test func `an index is read from the disk as it was written`() throws {
        let index = StoreIndex(apps: [app("com.a", bytes: 5), app("com.b", bytes: .max)])
        let read = try StoreIndex(decoding: index.encoded(within: StoreIndex.limits), within: StoreIndex.limits)
        #expect(read == index)
        #expect(throws: DecodingFailure.self) { try StoreIndex(decoding: [1, 0, 4, 0, 0, 0, 3, 0, 0, 0]) }
    }

    @Test func `a grant that names machines is read as it was written, and by older daemons as no grant`() throws {
        var app = app("com.a", bytes: 5)
        let (names, hosts): (Set, [String]) = (
            ["com.apple.security.network.client", "a.b"], ["feed.example.org:443", "*.b.example"]
        )
        let named = try #require(GrantedEntitlements(names, hostTexts: hosts))
        app.grants["com.a.x"] = named
        let bytes = try StoreIndex(apps: [app]).encoded(within: StoreIndex.limits)
        #expect(try StoreIndex(decoding: bytes, within: StoreIndex.limits).apps == [app])
        let earlier = try EarlierIndex(decoding: bytes, within: StoreIndex.limits)
        #expect(earlier.grants == ["com.a.x": ["a.b"], "com.a.z": []])
        for wrong in [[], ["http://a"]] { #expect(GrantedEntitlements([], hostTexts: wrong) == nil) }
    }

    @Test func `P5: an index of version 1 keeps every extension as it was`() throws {
        // An index of version 1 with one app, whose extension com.a.off is switched off.
        let old = OldIndex("com.a", folder: "app-0", bundle: "A.app", bytes: 7, disabled: ["com.a.off"])
        let bytes = try old.encoded()
        let read = try #require(StoreIndex(decoding: bytes, within: StoreIndex.limits).apps.first)
        #expect(read.isOld && read.choices == ["com.a.off": false] && read.bytes == 7)
        // If an app cannot be opened, its entry keeps the old form.
        let kept = try StoreIndex(
            decoding: StoreIndex(apps: [read]).encoded(within: StoreIndex.limits), within: StoreIndex.limits)
        #expect(kept.apps == [read])
        let path = { (build: StoreIndex.Build) in "/store/\(build.folder)/\(build.name)" }
        let known = read.known(carrying: ["com.a.off", "com.a.keyboard"], path: path)
        #expect(
            known.choices == ["com.a.off": false, "com.a.keyboard": true] && known.elected.path == "/store/app-0/A.app")
        let renewed = try #require(StoreIndex.App(known, builds: read.builds, path: path))
        #expect(!renewed.isOld && renewed.choices == known.choices && renewed.elected.version == "0")
        // Extensions that are added later have the default of their point.
        #expect(renewed.known(carrying: ["com.a.late"], path: path).choices == known.choices)
    }

    @Test func `sizes in a damaged index add up to at most the largest number`() {
        #expect(StoreIndex(apps: [app("com.a", bytes: 5), app("com.b", bytes: 7)]).bytes == 24)
        #expect(StoreIndex(apps: [app("com.a", bytes: .max), app("com.b", bytes: .max)]).bytes == .max)
        #expect(StoreIndex(apps: [app("com.a", bytes: 1 << 62), app("com.b", bytes: 1 << 62)]).bytes == .max)
    }
}

/// The grants that a daemon reads which knows no machines.
private struct EarlierIndex: Message {
    let grants: [String: [String]]

    private struct App: Message {
        let grants: [Grant]

        func encode(into encoder: inout MessageEncoder) { encoder.encode(list: grants, as: 12) }
        init(from decoder: inout MessageDecoder) throws(DecodingFailure) { grants = try decoder.decodeList(12) }
    }

    private struct Grant: Message {
        let identifier: String
        let entitlements: [String]

        func encode(into encoder: inout MessageEncoder) {
            encoder.encode(identifier, as: 1)
            encoder.encode(list: entitlements, as: 2)
        }

        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
            (identifier, entitlements) = (try decoder.decode(1), try decoder.decodeList(2))
        }
    }

    func encode(into encoder: inout MessageEncoder) {}

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let apps: [App] = try decoder.decodeList(2)
        grants = Dictionary(apps.flatMap(\.grants).map { ($0.identifier, $0.entitlements) }) { $1 }
    }
}
