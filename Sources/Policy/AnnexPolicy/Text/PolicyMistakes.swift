/// Every mistake in the text of a policy, or of another YAML file. If the text is not YAML, only the first mistake is
/// found.
///
/// A reader stops at the first mistake. So the faulty item is removed from the text's tree, and the remaining tree is
/// read again. If a mistake exists only because of this removal, it is not reported.
package struct PolicyMistakes {
    /// The most mistakes that are reported. A text with more mistakes is probably not meant to be such a file.
    static let most = 100

    /// The mistakes in the order of the text.
    package var all: [PolicyError] {
        found.sorted { one, other in
            guard let first = one.place, let second = other.place else { return one.place != nil }
            return first.comesBefore(second)
        }
    }
    private var found: [PolicyError] = []
    /// The marks of the nodes from which an item was removed.
    private var wounded: Set<YAMLMark> = []

    /// - Parameter read: reads the text's tree, and throws the first mistake in it.
    package init(text: String, file: String, read: (PolicyNode) throws(PolicyError) -> Void) {
        var root: PolicyNode
        do throws(PolicyError) {
            root = try PolicyNode.root(of: text, file: file)
        } catch {
            found = [error]
            return
        }
        while found.count < Self.most {
            do throws(PolicyError) {
                try read(root)
                return
            } catch {
                guard let rest = record(error, in: root.node) else { return }
                root = PolicyNode(rest, file: file)
            }
        }
    }

    /// - Returns: the tree without the item that contains the mistake; nil if no item could be removed.
    private mutating func record(_ error: PolicyError, in tree: YAMLNode) -> YAMLNode? {
        let mark = error.place.map { YAMLMark(line: $0.line, column: $0.column) }
        if mark.map(wounded.contains) != true { found.append(error) }
        guard let mark, let cut = tree.cutting(mark) else { return nil }
        wounded.formUnion(cut.around)
        return cut.rest
    }
}

extension YAMLNode {
    /// This tree without the item or entry at a mark, and the marks of all nodes that contained it.
    fileprivate func cutting(_ place: YAMLMark) -> (rest: YAMLNode, around: [YAMLMark])? {
        switch content {
        case .scalar: return nil
        case .sequence(let items):
            for (index, item) in items.enumerated() {
                var kept = items
                if item.mark == place {
                    kept.remove(at: index)
                    return (YAMLNode(content: .sequence(kept), mark: mark), [mark])
                }
                guard let cut = item.cutting(place) else { continue }
                kept[index] = cut.rest
                return (YAMLNode(content: .sequence(kept), mark: mark), cut.around + [mark])
            }
        case .mapping(let entries):
            for (index, entry) in entries.enumerated() {
                var kept = entries
                if entry.key.mark == place || entry.value.mark == place {
                    kept.remove(at: index)
                    return (YAMLNode(content: .mapping(kept), mark: mark), [mark])
                }
                guard let cut = entry.value.cutting(place) else { continue }
                kept[index].value = cut.rest
                return (YAMLNode(content: .mapping(kept), mark: mark), cut.around + [mark])
            }
        }
        return nil
    }
}
