extension ContentTree {
    /// The beginning of the view, for a place with little room. A whole view may have more text than a page or a
    /// terminal can draw fast.
    ///
    /// Nodes that begin beyond one of the two limits are left out, and a text that exceeds the limit of scalars is
    /// cut. Options count as nodes. If a choice is in the excerpt, all its options are in the excerpt too, because
    /// actions refer to options by their index.
    /// - Parameters:
    ///   - nodes: the most nodes and options. The options of the last choice may exceed this number.
    ///   - scalars: the most Unicode scalars of all texts.
    package func excerpt(nodes: Int, scalars: Int) -> ContentTree {
        var excerpt = Excerpt(nodes: nodes, scalars: scalars)
        return ContentTree(root: excerpt.node(root) ?? .list([]))
    }

    private struct Excerpt {
        var nodes: Int
        var scalars: Int

        mutating func node(_ node: ContentNode) -> ContentNode? {
            guard nodes > 0, scalars > 0 else { return nil }
            nodes -= 1
            switch node {
            case .text(let text, let style): return .text(words(text), style: style)
            case .image(let bytes, let description): return .image(bytes, description: words(description))
            case .progress(let fraction, let label): return .progress(fraction, label: words(label))
            case .choice(let title, let action, let options, let chosen):
                nodes -= options.count
                let title = words(title)
                return .choice(title, action: action, options: options.map { words($0) }, chosen: chosen)
            case .button(let title, let action): return .button(words(title), action: action)
            case .row(let nodes): return .row(self.nodes(nodes))
            case .list(let nodes): return .list(self.nodes(nodes))
            }
        }

        private mutating func nodes(_ all: [ContentNode]) -> [ContentNode] {
            var kept: [ContentNode] = []
            for one in all {
                guard let node = node(one) else { break }
                kept.append(node)
            }
            return kept
        }

        private mutating func words(_ text: String) -> String {
            let all = text.unicodeScalars
            let part = all.prefix(max(scalars, 0))
            scalars -= part.count
            return part.endIndex == all.endIndex ? text : String(part) + "…"
        }
    }
}
