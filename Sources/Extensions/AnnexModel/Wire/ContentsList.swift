package import AnnexChannel
package import AnnexLinux

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

extension ContentsList {
    /// What came beside a message; anything but files and memory is refused.
    package init(taking descriptors: consuming DescriptorList) throws(ItemFailure) {
        var contents: [ItemContents] = []
        while let descriptor = descriptors.takeFirst() { contents.append(try ItemContents(descriptor)) }
        self.init(contents)
    }

    /// What an extension handed over with its answer: checked by the channel, and final.
    package init(_ sealed: [SealedBytes]) throws(ItemFailure) {
        var contents: [ItemContents] = []
        for bytes in sealed {
            let descriptor = try ItemFailure.wrapping { () throws(SystemError) in try bytes.descriptor.duplicate() }
            contents.append(try ItemContents(descriptor))
        }
        self.init(contents)
    }

    /// For handing over: each through an open file description of its own that can only read.
    package func readOnlyDescriptors() throws(SystemError) -> DescriptorList {
        var descriptors = DescriptorList()
        for contents in contents { descriptors.append(try contents.descriptor.reopenedReadOnly()) }
        return descriptors
    }
}
