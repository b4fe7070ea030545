import AnnexChannel
import AnnexTestSupport
import Testing

@testable import AnnexModel

/// The transfer of a view from an extension to its host.
@Suite(.timeLimit(.minutes(20))) struct ContentTreeTests {
    private let view: ContentNode = [
        "Lisbon",
        .row([.image(PictureStart.png(width: 16, height: 9), description: "Sun"), .text("23 °C", style: .secondary)]),
        .progress(0.5, label: "Uploading"), .progress(nil),
        .choice("Category", action: "category", options: ["Holiday", "Work"], chosen: 1),
        .list([.button("Post", action: "post.now")]),
    ]

    @Test func `a view crosses the wire as it was made`() throws {
        let bytes = try ContentMessage(view).encoded()
        #expect(try ContentMessage(decoding: bytes).tree().root == view)
    }

    @Test func `an action crosses the wire`() throws {
        for action in [ContentAction(identifier: "post"), ContentAction(identifier: "category", option: 3)] {
            #expect(try ContentAction(decoding: action.encoded()) == action)
        }
    }

    @Test func `random views are read as they were made`() throws {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        var nodes = 0
        for _ in 0..<500 {
            let view = ContentNode.list((0..<4).map { _ in .random(depth: 4, using: &random) })
            nodes += view.count
            #expect(try ContentMessage(view).tree().root == view, "ANNEX_SEED=\(seed)")
        }
        #expect(nodes > 3_000, "the random views are too small to show anything; ANNEX_SEED=\(seed)")
    }

    @Test func `a node of a later version is left out, and its neighbours stay`() throws {
        var later = NodeMessage(.text)
        later.kind = 99
        var list = NodeMessage(.list)
        list.parts = [try NodeMessage.encoded("a"), try later.encoded(), try NodeMessage.encoded("b")]
        var reader = ContentReader(.standard)
        let read = try reader.node(list.encoded())
        #expect(read == .list(["a", "b"]))
        #expect(try ContentMessage(raw: later.encoded()).tree().root == .list([]))
    }

    @Test func `a field of a later version is skipped`() throws {
        var encoder = MessageEncoder()
        var text = NodeMessage(.text)
        text.text = "a"
        text.encode(into: &encoder)
        encoder.encode("later", as: 200)
        #expect(try ContentMessage(raw: encoder.finish()).tree().root == "a")
    }

    @Test func `a progress beyond its bar is cut and one that is no number is refused`() throws {
        #expect(try ContentMessage(.progress(1.5)).tree().root == .progress(1))
        #expect(try ContentMessage(.progress(-1)).tree().root == .progress(0))
        for fraction in [Double.nan, .infinity] {
            #expect(throws: ContentError.self) { try ContentMessage(.progress(fraction)) }
        }
    }

    @Test func `an error names the node with the limit and the remedy`() throws {
        let long = String(repeating: "a", count: 5_000)
        let error = #expect(throws: ContentError.self) { try ContentMessage(["a", .list(["b", .text(long)])]) }
        #expect(error?.code == .textTooLong && error?.place == "view/2/2")
        #expect(error?.description == "view/2/2: has a text of more than 4096 bytes; shorten the text")
    }
}

extension NodeMessage {
    /// The bytes of a text node.
    static func encoded(_ text: String) throws -> [UInt8] {
        var message = NodeMessage(.text)
        message.text = text
        return try message.encoded()
    }
}

extension ContentMessage {
    /// A message whose node was never checked.
    init(raw node: [UInt8]) throws {
        var encoder = MessageEncoder(limits: MessageLimits(bytes: node.count + 6, fields: 1, depth: 1))
        encoder.encode(node, as: 1)
        let bytes = try encoder.finish()
        try self.init(decoding: bytes, within: MessageLimits(bytes: bytes.count, fields: bytes.count, depth: 1))
    }
}

extension ContentNode {
    /// A view within all limits.
    static func random(depth: Int, using random: inout SeededRandom) -> ContentNode {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: .text(word(using: &random), style: Bool.random(using: &random) ? .primary : .secondary)
        case 1: .image(PictureStart.jpeg(width: .random(in: 1...99, using: &random), height: 3), description: "ß")
        case 2: .progress(Bool.random(using: &random) ? Double.random(in: 0...1, using: &random) : nil)
        case 3: .choice("界", action: "a-b", options: [word(using: &random), ""], chosen: 1)
        case 4: .button(word(using: &random), action: "x_1")
        case 5: .row(parts(depth: depth - 1, using: &random))
        default: .list(parts(depth: depth - 1, using: &random))
        }
    }

    /// The number of nodes.
    var count: Int {
        switch self {
        case .row(let nodes), .list(let nodes): nodes.reduce(1) { $0 + $1.count }
        default: 1
        }
    }

    private static func parts(depth: Int, using generator: inout SeededRandom) -> [ContentNode] {
        (0..<Int.random(in: 0...4, using: &generator)).map { _ in random(depth: depth, using: &generator) }
    }

    private static func word(using random: inout SeededRandom) -> String {
        let letters: [Character] = ["a", "<", "é", "界", "👩‍👩‍👧", "\"", " ", "שׁ"]
        let count = Int.random(in: 0...9, using: &random)
        return String((0..<count).compactMap { _ in letters.randomElement(using: &random) })
    }
}
