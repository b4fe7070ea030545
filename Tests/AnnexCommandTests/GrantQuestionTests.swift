import AnnexBrokerAPI
import AnnexHost
import Testing

@testable import AnnexCommand

/// The question whether an extension may have an entitlement.
@Suite struct GrantQuestionTests {
    private static let client = "com.apple.security.network.client"

    @Test func `the question names the extension, the entitlement and its meaning`() {
        let text = GrantQuestion(identifier: "com.a.b", displayName: "Sharer", entitlement: Self.client).text
        let lines = text.split(separator: "\n")
        #expect(lines.count == 3 && lines[0] == "com.a.b (Sharer) asks to connect to other machines.")
        #expect(lines[1].contains("can send them everything that it is given"))
        #expect(
            lines[2]
                == "Grant \(Self.client)? [y/N, or the only machines that it may reach, such as feed.example.org:443]")
        let groups = GrantQuestion(
            identifier: "a", displayName: "b", entitlement: "com.apple.security.application-groups")
        #expect(groups.text.hasSuffix("? [y/N]"))
    }

    @Test(arguments: ["\u{1B}[2J", "a\nGrant everything? [y/N]", "\u{202E}x"])
    func `TTY-03: the name of an extension cannot forge the question`(name: String) {
        let question = GrantQuestion(identifier: "com.a.b", displayName: name, entitlement: Self.client)
        #expect(question.text.split(separator: "\n").count == 3)
        for scalar in question.text.unicodeScalars where scalar != "\n" {
            #expect(scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format)
        }
    }

    @Test func `only a clear yes grants`() {
        for answer in ["y", "Y", "yes", "YES"] { #expect(UserAnswer.isYes(answer)) }
        for answer in [nil, "", "n", "no", "yesterday", " y", "j", "sure"] { #expect(!UserAnswer.isYes(answer)) }
    }

    @Test func `machines are an answer to the question for the network`() {
        let client = GrantQuestion(identifier: "com.a.b", displayName: "x", entitlement: Self.client)
        #expect(client.meaning(of: "y") == .yes(hosts: []))
        let both = ["feed.example.org:443", "*.b.example"]
        #expect(client.meaning(of: both.joined(separator: ", ")) == .yes(hosts: both))
        for line in [nil, "", "n", "yesterday", "feed.example.org sure", "https://a.example/", "a.example:0", "*"] {
            #expect(client.meaning(of: line) == .no, "\(line ?? "nil")")
        }
        let groups = GrantQuestion(
            identifier: "a", displayName: "b", entitlement: "com.apple.security.application-groups")
        #expect(groups.meaning(of: "feed.example.org:443") == .no && groups.meaning(of: "yes") == .yes(hosts: []))
    }

    @Test func `the note is a command`() {
        let note = GrantQuestion(identifier: "com.a.b", displayName: "x", entitlement: Self.client).note
        #expect(note.hasSuffix("; annex grant com.a.b \(Self.client)"))
    }

    @Test func `an entitlement that no extension has is named with the reason`() {
        func one(_ rejection: BrokerError?) -> InstalledExtension {
            var one = InstalledExtension(
                id: "com.a.b", displayName: "x", extensionPoint: "com.apple.share-services", containingApp: "com.a",
                rejection: rejection, build: .init(version: "1.5"))
            one.entitlements = [.init(name: Self.client, isAllowed: true, isGranted: false)]
            return one
        }
        let unused = one(BrokerError(.superseded, what: "x", place: "com.a.b"))
        let notes = UngrantedName.all([Self.client, "no.such"], of: [unused]).map(\.note)
        #expect(notes.first?.hasSuffix("annex pin com.a 1.5, then annex grant com.a.b \(Self.client)") == true)
        #expect(notes.last == "no installed extension asks for no.such; --grant had no effect")
        var granted = one(nil)
        granted.entitlements = [.init(name: Self.client, isAllowed: true, isGranted: true)]
        #expect(UngrantedName.all([Self.client], of: [granted]).isEmpty)
    }
}
