/// The contents that travel beside a message, in order, each once.
package struct ContentsList: Sendable {
    package private(set) var contents: [ItemContents]

    package init(_ contents: [ItemContents] = []) {
        self.contents = contents
    }

    /// The place of these contents, which join the list if they are not in it yet.
    package mutating func index(of wanted: ItemContents) -> UInt32 {
        let place = contents.firstIndex { $0 === wanted } ?? contents.count
        if place == contents.count { contents.append(wanted) }
        return UInt32(clamping: place)
    }

    /// The contents at a place that a peer named, nil where there are none.
    package subscript(_ place: UInt32) -> ItemContents? {
        guard let place = Int(exactly: place), contents.indices.contains(place) else { return nil }
        return contents[place]
    }
}
