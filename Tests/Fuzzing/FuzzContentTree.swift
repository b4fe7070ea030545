import AnnexChannel

@testable import AnnexModel

/// The view of an extension. Any bytes give a checked tree or an error. A tree contains only harmless texts. If a
/// tree is encoded and decoded again, the result is the same tree.
enum FuzzContentTree {
    static func main() {
        Fuzzer.run { start, count in
            let bytes = Fuzzer.bytes(start, count)
            var reader = ContentReader(.standard)
            guard let root = try? reader.node(bytes) else { return 0 }
            FuzzContentTree.expectHarmless(root)
            // A text that was made harmless may take three times as many bytes.
            let wide = ContentLimits(bytes: 4 << 20, textBytes: 1 << 20)
            let again = try? ContentMessage(root, within: wide).tree(within: wide).root
            Fuzzer.expect(again == root, "a view reads differently the second time")
            return 0
        }
    }

    private static func expectHarmless(_ node: ContentNode) {
        switch node {
        case .text(let text, _): expectHarmless(text, hasLines: true)
        case .image(_, let description): expectHarmless(description)
        case .progress(let fraction, let label):
            Fuzzer.expect(fraction.map { (0...1).contains($0) } ?? true, "a progress beyond its bar")
            expectHarmless(label)
        case .choice(let title, _, let options, let chosen):
            Fuzzer.expect(chosen.map { options.indices.contains($0) } ?? true, "a chosen option that does not exist")
            ([title] + options).forEach { expectHarmless($0) }
        case .button(let title, _): expectHarmless(title)
        case .row(let nodes), .list(let nodes): nodes.forEach(expectHarmless)
        }
    }

    private static func expectHarmless(_ text: String, hasLines: Bool = false) {
        let harmless = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control: hasLines && scalar == "\n"
            case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
            default: true
            }
        }
        Fuzzer.expect(harmless, "a text that could control a terminal")
    }
}
