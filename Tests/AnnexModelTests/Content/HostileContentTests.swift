import AnnexChannel
import AnnexTestSupport
import Testing

@testable import AnnexModel

/// Views of an extension that attacks its host.
@Suite(.timeLimit(.minutes(20))) struct HostileContentTests {
    private func failure(_ node: [UInt8]) throws -> ContentError? {
        let message = try ContentMessage(raw: node)
        do { _ = try message.tree() } catch { return error }
        return nil
    }

    @Test func `BOMB-16: a view of a million nodes is refused before its nodes are read`() throws {
        // The smallest node takes 7 bytes, and the field around it takes 6 bytes.
        let node: [UInt8] = [9, 0, 7, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1]
        var view: [UInt8] = [1, 0, 1, 0, 0, 0, 7]
        for _ in 0..<1_000_000 { view += node }
        #expect(try failure(view)?.code == .tooLong)
        let wide = ContentLimits(bytes: view.count)
        let error = #expect(throws: ContentError.self) { try ContentMessage(raw: view).tree(within: wide) }
        #expect(error?.code == .tooManyNodes && error?.place == "view")
    }

    @Test func `BOMB-16: a view of ten thousand levels is refused at the first level beyond the limit`() throws {
        var node: [UInt8] = [1, 0, 1, 0, 0, 0, 1]
        for _ in 0..<10_000 {
            let size = UInt32(node.count)
            node = [1, 0, 1, 0, 0, 0, 7, 9, 0] + (0..<4).map { UInt8(size >> ($0 * 8) & 0xFF) } + node
        }
        let error = try failure(node)
        #expect(error?.code == .tooDeep)
        #expect(error?.place == "view" + String(repeating: "/1", count: 16))
    }

    @Test func `an extension that makes a thousand levels gets an error`() throws {
        var view: ContentNode = "a"
        for _ in 0..<1_000 { view = [view] }
        let error = #expect(throws: ContentError.self) { try ContentMessage(view) }
        #expect(error?.code == .tooDeep)
    }

    @Test func `IPC-09: random bytes and changed views never trap`() throws {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        var read = 0
        for round in 0..<5_000 {
            var bytes: [UInt8]
            if round.isMultiple(of: 2) {
                bytes = (0..<Int.random(in: 0..<64, using: &random)).map { _ in .random(in: 0..<10, using: &random) }
            } else {
                bytes = try ContentWriter(limits: .standard).bytes(of: .random(depth: 3, using: &random))
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            guard let tree = try? ContentMessage(raw: bytes).tree() else { continue }
            read += 1
            #expect(tree.root.count <= 1_000, "ANNEX_SEED=\(seed)")
        }
        #expect(read > 100, "the changes are too wild to reach the nodes; ANNEX_SEED=\(seed)")
    }

    @Test(arguments: [
        ("\u{1B}[2Jgone", "\u{FFFD}[2Jgone"), ("\u{9B}31m", "\u{FFFD}31m"), ("a\u{202E}b", "a\u{FFFD}b"),
        ("a\u{2066}b\u{200B}", "a\u{FFFD}b\u{FFFD}"), ("\u{E0041}\u{3164}\u{E000}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("a\tb\u{7}\u{0}", "a b\u{FFFD}\u{FFFD}"), ("a\u{2028}b", "a\u{FFFD}b"), ("a\r\nb\rc", "a\nb\nc"),
        ("<b>&amp;", "<b>&amp;"), ("👩‍👩‍👧 ❤️ ü שלום", "👩‍👩‍👧 ❤️ ü שלום"),
    ])
    func `TTY-03: characters of a view that could control or deceive are replaced`(text: String, drawn: String) throws {
        #expect(try ContentMessage(.text(text)).tree().root == .text(drawn))
    }

    @Test func `TTY-03: the words of every kind of node are harmless, and titles are one line`() throws {
        let bad = "a\u{1B}\nb"
        let good = "a\u{FFFD} b"
        let picture = PictureStart.png(width: 1, height: 1)
        let view: ContentNode = [
            .image(picture, description: bad), .progress(0, label: bad), .button(bad, action: "x"),
            .choice(bad, action: "x", options: [bad]), .row([.text(bad, style: .secondary)]),
        ]
        let drawn: ContentNode = [
            .image(picture, description: good), .progress(0, label: good), .button(good, action: "x"),
            .choice(good, action: "x", options: [good]), .row([.text("a\u{FFFD}\nb", style: .secondary)]),
        ]
        #expect(try ContentMessage(view).tree().root == drawn)
    }

    @Test func `a pile of marks on one letter is cut`() throws {
        let pile = "a" + String(repeating: "\u{301}", count: 500) + "b"
        let tree = try ContentMessage(.text(pile)).tree()
        #expect(tree.root == .text("a" + String(repeating: "\u{301}", count: 8) + "b"))
    }
}
