import AnnexLinux
import AnnexSigning
import AnnexTestSupport
import Foundation
import Testing

/// The teams that may sign an app, and the storage of that trust.
@Suite(.timeLimit(.minutes(20))) struct TrustTests {
    private let ours: Team
    private let theirs: Team
    private let app = "com.example.signed"

    init() throws {
        // Both teams have the same name, because only the key counts.
        ours = try TeamKey(named: "Example").team
        theirs = try TeamKey(named: "Example").team
    }

    private func refusal(_ verdict: TrustVerdict) throws -> TrustRefusal {
        guard case .refused(let refusal) = verdict else { throw CancellationError() }
        return refusal
    }

    @Test func `P8: the first signed installation pins an app to its team`() throws {
        var trust = TeamTrust()
        #expect(trust.decide(app: app, signedBy: nil) == .unsigned)
        #expect(trust.decide(app: app, signedBy: ours) == .firstUse(ours, isTrusted: false))
        try trust.accept(ours, for: app)
        #expect(trust.decide(app: app, signedBy: ours) == .known(ours, isTrusted: false))
        #expect(trust.decide(app: "com.example.other", signedBy: theirs) == .firstUse(theirs, isTrusted: false))
    }

    @Test func `P8: a pinned app is refused from another team or unsigned`() throws {
        var trust = TeamTrust()
        try trust.accept(ours, for: app)
        let other = try refusal(trust.decide(app: app, signedBy: theirs))
        #expect(other.what.contains(ours.identifier) && other.what.contains(theirs.identifier))
        #expect(other.remedy.contains("annex key trust") && other.remedy.contains("annex remove \(app)"))
        let unsigned = try refusal(trust.decide(app: app, signedBy: nil))
        #expect(unsigned.what.contains("not signed") && unsigned.what.contains(ours.identifier))
        try trust.accept(theirs, for: app)
        #expect(trust.pins[app]?.team == ours, "accept never changes a pin")
    }

    @Test func `P8: only the word of the user gives an app to another team`() throws {
        var trust = TeamTrust()
        try trust.accept(ours, for: app)
        try trust.trust(theirs)
        _ = try refusal(trust.decide(app: app, signedBy: theirs))
        #expect(trust.decide(app: "com.example.other", signedBy: theirs) == .firstUse(theirs, isTrusted: true))
        try trust.trust(theirs, for: [app])
        #expect(trust.decide(app: app, signedBy: theirs) == .known(theirs, isTrusted: true))
        _ = try refusal(trust.decide(app: app, signedBy: ours))
        trust.forget(app: app)
        #expect(trust.decide(app: app, signedBy: ours) == .firstUse(ours, isTrusted: false))
    }

    @Test func `P8: the user can name the team of an app before its first installation`() throws {
        var trust = TeamTrust()
        try trust.trust(ours, for: [app])
        _ = try refusal(trust.decide(app: app, signedBy: theirs))
        _ = try refusal(trust.decide(app: app, signedBy: nil))
        trust.forgetFirstUses(butOf: [])
        #expect(trust.pins[app]?.isByUser == true)
        try trust.accept(theirs, for: "com.example.gone")
        trust.forgetFirstUses(butOf: [app])
        #expect(trust.pins.keys.sorted() == [app])
    }

    @Test func `P8: trust is written and read without loss`() throws {
        var trust = TeamTrust()
        try trust.trust(ours, for: [app])
        try trust.trust(theirs)
        try trust.accept(theirs, for: "com.example.first")
        let read = try TeamTrust(text: trust.text, place: "trust")
        #expect(read == trust && read.text == trust.text)
        #expect(try TeamTrust(text: TeamTrust().text, place: "trust") == TeamTrust())
    }

    @Test func `P8: damaged trust is never read as less trust`() throws {
        var trust = TeamTrust()
        try trust.trust(ours, for: [app])
        try trust.accept(theirs, for: "com.example.first")
        let text = Array(trust.text.utf8)
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        for _ in 0..<2_000 {
            var changed = text
            changed[Int.random(in: text.indices, using: &random)] = UInt8.random(in: 0...127, using: &random)
            guard let read = try? TeamTrust(text: String(decoding: changed, as: UTF8.self), place: "trust") else {
                continue
            }
            #expect(read.pins.count == trust.pins.count && read.text.utf8.count == text.count, "ANNEX_SEED=\(seed)")
        }
        for line in ["", "team", "user com.example.x", "first com.example.first \(ours.publicKey.hex) Twice", "word x"]
        {
            let error = try #require(throws: SigningError.self) {
                _ = try TeamTrust(text: trust.text + line + "\n", place: "trust")
            }
            #expect(error.code == .damagedTrust && error.what.contains("line 5"), "\(error)")
        }
        #expect(throws: SigningError.self) { _ = try TeamTrust(text: "annex-trust 2\n", place: "trust") }
    }

    @Test func `P8: an identifier with blanks cannot forge a line`() throws {
        var trust = TeamTrust()
        for name in ["a b", "", "a\nfirst b", "\u{E9}", String(repeating: "x", count: 156)] {
            #expect(throws: SigningError.self) { try trust.accept(ours, for: name) }
        }
        #expect(trust.pins.isEmpty)
    }

    @Test func `P8: trust in a folder outlives its program and a draft of a killed one`() throws {
        let folder = try TemporaryFolder()
        let open = { try TrustStore(in: try Descriptor.directory(folder.url.path), place: folder.url.path) }
        let store = try open()
        try store.change { trust throws(SigningError) in try trust.accept(ours, for: app) }
        try Data("annex-trust 1\nhalf".utf8).write(to: folder.url.appending(path: TrustFile.draft))
        #expect(try open().trust == store.trust)
        try store.change { trust in trust.forget(app: app) }
        #expect(try open().trust == TeamTrust())
        let mode = try FileManager.default.attributesOfItem(atPath: folder.url.path + "/trust")[.posixPermissions]
        #expect(mode as? Int == 0o600)
        try Data("rubbish".utf8).write(to: folder.url.appending(path: TrustFile.name))
        let error = try #require(throws: SigningError.self) { _ = try open() }
        #expect(error.code == .damagedTrust && error.place.hasSuffix("/trust"))
    }

    @Test func `P8: a change that fails changes nothing`() throws {
        let store = TrustStore()
        #expect(throws: SigningError.self) {
            try store.change { trust throws(SigningError) in
                try trust.accept(ours, for: app)
                try trust.accept(ours, for: "no identifier")
            }
        }
        #expect(store.trust == TeamTrust())
    }
}
