import AnnexChannel
import AnnexTestSupport
import Testing

@testable import AnnexModel

/// Each limit of a view. A view at the limit is accepted, and a view beyond the limit is refused.
@Suite(.timeLimit(.minutes(20))) struct ContentLimitTests {
    /// Small limits, so that each view of the tests exceeds only one of them.
    private let limits = ContentLimits(
        bytes: 500, nodes: 4, depth: 3, textBytes: 8, textLines: 2, options: 2, actionBytes: 3, pictureBytes: 40,
        pictureSide: 10, pixels: 100)

    /// - Parameter place: the place of the node that is beyond the limit; nil if the view is accepted.
    private func check(
        _ view: ContentNode, code: ContentError.Code? = nil, at place: String? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        var found: ContentError?
        do { _ = try ContentMessage(view, within: limits) } catch { found = error }
        #expect(found?.code == code, "\(String(describing: found))", sourceLocation: location)
        #expect(found?.place == place, sourceLocation: location)
    }

    @Test func `a view may have as many nodes as the limit and no more`() throws {
        try check(["a", "b", "c"])
        try check(["a", "b", "c", "d"], code: .tooManyNodes, at: "view")
        try check(["a", ["b", "c"]], code: .tooManyNodes, at: "view/2")
    }

    @Test func `a view may be as deep as the limit and no deeper`() throws {
        try check([["a"]])
        try check([[["a"]]], code: .tooDeep, at: "view/1/1/1")
    }

    @Test func `a text may have as many bytes and lines as the limit and no more`() throws {
        try check("aaaabbbb")
        try check("aaaabbbbc", code: .textTooLong, at: "view")
        try check("aaaabbbé", code: .textTooLong, at: "view")
        try check("a\nb")
        try check(["a\nb\n"], code: .textTooLong, at: "view/1")
        try check(.button("aaaabbbbc", action: "x"), code: .textTooLong, at: "view")
        try check(.progress(0, label: "aaaabbbbc"), code: .textTooLong, at: "view")
        try check(.choice("", action: "x", options: ["aaaabbbbc"]), code: .textTooLong, at: "view")
    }

    @Test func `a choice has at least one option, at most the limit, and a chosen one that exists`() throws {
        try check(.choice("", action: "x", options: ["a", "b"], chosen: 1))
        try check(.choice("", action: "x", options: []), code: .invalidChoice, at: "view")
        try check(.choice("", action: "x", options: ["a", "b", "c"]), code: .invalidChoice, at: "view")
        for chosen in [2, -1, Int.max] {
            try check(.choice("", action: "x", options: ["a", "b"], chosen: chosen), code: .invalidChoice, at: "view")
        }
    }

    @Test func `an action has as many letters as the limit and no other characters`() throws {
        try check(.button("", action: "a-9"))
        for action in ["", "abcd", "a b", "a\n", "é", "\u{1B}"] {
            try check(.button("", action: action), code: .invalidAction, at: "view")
            try check(.choice("", action: action, options: ["a"]), code: .invalidAction, at: "view")
        }
    }

    @Test func `a picture may be as large as the limits and no larger`() throws {
        let picture = PictureStart.png(width: 10, height: 10)
        try check(.image(picture + [UInt8](repeating: 0, count: 40 - picture.count)))
        try check(
            .image(picture + [UInt8](repeating: 0, count: 41 - picture.count)), code: .pictureTooLarge, at: "view")
        try check(.image(PictureStart.png(width: 11, height: 1)), code: .pictureTooLarge, at: "view")
        try check(.image(PictureStart.jpeg(width: 1, height: 11)), code: .pictureTooLarge, at: "view")
        try check(.image(PictureStart.png(width: .max, height: .max)), code: .pictureTooLarge, at: "view")
        let wide = ContentLimits(pictureSide: .max, pixels: .max)
        let largest = ContentNode.image(PictureStart.png(width: .max, height: .max))
        #expect(throws: ContentError.self) { try ContentMessage(largest, within: wide) }
        try check(.image([1, 2, 3]), code: .notAPicture, at: "view")
    }

    @Test func `all pictures of a view together have at most as many pixels as the limit`() throws {
        let half = ContentNode.image(PictureStart.png(width: 10, height: 5))
        try check([half, half])
        try check([half, half, .image(PictureStart.png(width: 1, height: 1))], code: .pictureTooLarge, at: "view/3")
    }

    @Test func `an encoded view may have as many bytes as the limit and no more`() throws {
        let wide = ContentLimits(textBytes: 1 << 20)
        let bytes = try ContentWriter(limits: wide).bytes(of: .text(String(repeating: "a", count: 100)))
        for (most, isRead) in [(bytes.count, true), (bytes.count - 1, false)] {
            let limits = ContentLimits(bytes: most, textBytes: 1 << 20)
            let tree = try? ContentMessage(raw: bytes).tree(within: limits)
            #expect((tree != nil) == isRead)
        }
        let error = #expect(throws: ContentError.self) {
            try ContentMessage(raw: bytes).tree(within: ContentLimits(bytes: 99, textBytes: 1 << 20))
        }
        #expect(error?.code == .tooLong)
    }
}
