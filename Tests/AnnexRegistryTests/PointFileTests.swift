import AnnexPolicy
import AnnexRegistry
import Testing

@testable import AnnexBundle

/// Parses one point's file: its contents, and the place of each mistake.
@Suite struct PointFileTests {
    static let file = "com.example.thumbnails.yaml"
    static let head = """
        point: com.example.thumbnails
        name: Thumbnails
        summary: Draws a small picture of a document.
        policy: compute

        """

    static func point(_ more: String = "") throws(PolicyError) -> ExtensionPoint {
        try ExtensionPoint(text: head + more, file: file)
    }

    private func mistake(_ more: String) -> String {
        do throws(PolicyError) {
            _ = try Self.point(more)
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test func `four keys are enough, and the others grant nothing`() throws {
        let point = try Self.point()
        #expect(point.identifier == "com.example.thumbnails" && point.policy == "compute" && point.isOnByDefault)
        #expect(point.openURL == .none && point.media.isEmpty && point.attributes.isEmpty && point.messages.isEmpty)
        #expect(!point.replacesShipped && point.limits.isEmpty && !point.hasPrivateInput)
        #expect(Entitlement.allCases.filter(point.accepts) == [.appSandbox])
    }

    @Test func `every key of a point is read`() throws {
        let point = try Self.point(
            """
            default: off
            open-url: containing-app
            input: private
            entitlements:
              default: [com.apple.security.application-groups]
              allowed: [com.apple.security.network.client]
            attributes: { Types: array, Size: number, Title: string, Fast: boolean, Count: integer, More: any }
            messages: [Thumbnail.Request, Thumbnail.Answer]
            limits: { memory: 32M, instances: 8, keep-alive: 0s }
            """)
        #expect(!point.isOnByDefault && point.openURL == .containingApp && point.hasPrivateInput)
        #expect(point.defaultEntitlements == [.applicationGroups] && point.allowedEntitlements == [.networkClient])
        #expect(point.accepts(.applicationGroups) && !point.accepts(.readUserSelected))
        #expect(point.attributes.count == 6 && point.attributes["Size"] == .number)
        #expect(point.messages == ["Thumbnail.Request", "Thumbnail.Answer"])
        #expect(point.limits == [.memory: .bytes(32 << 20), .instances: .count(8), .keepAlive: .time(.zero)])
        #expect(point.places["messages"] == PolicyPlace(file: Self.file, line: 12, column: 11))
    }

    @Test func `L2: a point changes the limits of its policy and nothing else`() throws {
        let policy = try PolicyLibrary.shipped.policy(named: "compute")
        let limited = try Self.point("limits: { memory: 32M, launch: 500ms }").limiting(policy)
        #expect(limited.limits.memory == 32 << 20 && limited.limits.launch == .milliseconds(500))
        #expect(limited.limits.request == policy.limits.request && limited.limits != policy.limits)
        #expect(limited.allowedCalls == policy.allowedCalls && limited.paths == policy.paths)
        #expect(try Self.point().limiting(policy) == policy)
    }

    @Test(arguments: ["request", "watchdog", "processor"])
    func `L2: an extension never lacks a time limit`(name: String) throws {
        let policy = try PolicyLibrary.shipped.policy(named: "compute")
        let point = try Self.point("limits: { \(name): none }")
        let error = #expect(throws: PolicyError.self) { try point.limiting(policy) }
        #expect("\(try #require(error))".contains("`\(name)` is none, and an extension must have this limit"))
        let endless = try policy.limited(to: ["\(name)=none"])
        #expect(throws: PolicyError.self) { try Self.point().limiting(endless) }
        #expect(try Self.point("limits: { \(name): 2s }").limiting(endless).limits != policy.limits)
    }

    @Test(arguments: [
        ("polcy: x", "5:1: unknown key `polcy` in an extension point; did you mean `policy`?"),
        ("default: of", "5:10: unknown default `of`; did you mean `off`?"),
        ("open-url: all", "5:11: unknown open-url `all`"),
        ("input: privat", "5:8: unknown input `privat`; did you mean `private`?"),
        ("name: again", "5:1: the key `name` is stated twice"),
        ("entitlements: { alowed: [] }", "unknown key `alowed` in `entitlements`; did you mean `allowed`?"),
        (
            "entitlements: { allowed: [com.apple.security.network.clients] }",
            "5:27: unknown entitlement `com.apple.security.network.clients`; "
                + "did you mean `com.apple.security.network.client`?"
        ),
        ("entitlements: { allowed: [com.apple.security.app-sandbox] }", "is always on, so it is not listed"),
        (
            "entitlements:\n  default: [com.apple.security.network.client]\n"
                + "  allowed: [com.apple.security.network.client]",
            "7:13: `com.apple.security.network.client` is a default"
        ),
        ("media: [camera]", "5:9: only com.apple.message-payload-provider may claim `camera`"),
        ("media: [microphone]", "only com.apple.message-payload-provider may claim `microphone`"),
        ("media: [radar]", "unknown medium `radar`"),
        ("attributes: { Types: arrray }", "5:22: unknown kind `arrray`; did you mean `array`?"),
        ("attributes: [Types]", "`attributes` must be a mapping"),
        ("messages: [a, a]", "5:15: `a` is stated twice"),
        ("messages: [\"a b\"]", "the name of a message type must be"),
        ("limits: { memry: 1M }", "unknown limit `memry`; did you mean `memory`?"),
        ("limits: { memory: 0 }", "`0` is not a size"),
        ("replaces: shiped", "unknown replaces `shiped`; did you mean `shipped`?"),
        ("attributes: *anchor", "5:13: "),
    ])
    func `a mistake is found with its place and the nearest name`(more: String, expected: String) {
        let found = mistake(more)
        #expect(found.hasPrefix(Self.file) && found.contains(expected), "\(found)")
    }

    @Test func `a point without one of the four keys is refused`() {
        for line in Self.head.split(separator: "\n") {
            let rest = Self.head.replacing(line + "\n", with: "")
            let error = #expect(throws: PolicyError.self) { try ExtensionPoint(text: rest, file: Self.file) }
            #expect(error?.problem.contains("must state `point:`, `name:`") == true)
        }
    }

    @Test(arguments: [
        "tool", "com.example.a_b", "com..example", ".com.example", "-com.example", "com.exämple", "com.example/x",
        "com.example.\u{202E}x", "\"com.example\\n\"",
    ])
    func `an identifier that is not reverse DNS is refused`(identifier: String) {
        let text = Self.head.replacing("com.example.thumbnails", with: identifier)
        #expect(throws: PolicyError.self) { try ExtensionPoint(text: text, file: identifier + ".yaml") }
    }

    @Test func `a file that is not named after its point is refused`() {
        let error = #expect(throws: PolicyError.self) { try ExtensionPoint(text: Self.head, file: "/points/x.yaml") }
        #expect(error?.description.contains("name the file com.example.thumbnails.yaml") == true)
        #expect(throws: Never.self) { try ExtensionPoint(text: Self.head, file: "/points/\(Self.file)") }
    }

    @Test func `a text that a terminal would not show is refused`() {
        for text in ["\"a\\u001b[31m\"", "\"a\\nb\"", "\"a\\u202eb\"", String(repeating: "a", count: 1_025)] {
            let name = Self.head.replacing("name: Thumbnails", with: "name: " + text)
            #expect(throws: PolicyError.self, "\(text)") { try ExtensionPoint(text: name, file: Self.file) }
        }
    }

    @Test func `more entries than a point can need are refused`() {
        let attributes = (0...256).map { "  A\($0): any" }.joined(separator: "\n")
        #expect(mistake("attributes:\n" + attributes).contains("more than 256 attributes"))
        let messages = (0...256).map { "  - m\($0)" }.joined(separator: "\n")
        #expect(mistake("messages:\n" + messages).contains("more than 256 message types"))
        #expect(mistake("# " + String(repeating: "x", count: 256 << 10)).contains("longer than 262144 bytes"))
        #expect(mistake("attributes: " + String(repeating: "[", count: 64)).contains("deeper"))
    }

    @Test func `every mistake of a file is listed in the order of the text`() {
        let mistakes = ExtensionPoint.mistakes(
            in: Self.head + "default: of\nmedia: [radar]\nattributes: { A: x, B: any }\n", file: Self.file)
        #expect(mistakes.map { $0.place?.line } == [5, 6, 7])
        #expect(ExtensionPoint.mistakes(in: Self.head, file: Self.file).isEmpty)
        #expect(ExtensionPoint.mistakes(in: "", file: Self.file).count == 1)
    }
}
