package import AnnexChannel
package import AnnexLinux

/// The contents that travel beside a message, in order and without repetitions.
package struct ContentsList: Sendable {
    package private(set) var contents: [ItemContents]

    package init(_ contents: [ItemContents] = []) {
        self.contents = contents
    }

    /// The index of these contents in the list. Contents that are not in the list yet are appended.
    package mutating func index(of wanted: ItemContents) -> UInt32 {
        let place = contents.firstIndex { $0 === wanted } ?? contents.count
        if place == contents.count { contents.append(wanted) }
        return UInt32(clamping: place)
    }

    /// The contents at an index that a peer sent; nil if the list has no such index.
    package subscript(_ place: UInt32) -> ItemContents? {
        guard let place = Int(exactly: place), contents.indices.contains(place) else { return nil }
        return contents[place]
    }
}

extension ContentsList {
    /// Wraps the descriptors that arrived with a message. Throws an error for anything but files and memory.
    package init(taking descriptors: consuming DescriptorList) throws(ItemFailure) {
        var contents: [ItemContents] = []
        while let descriptor = descriptors.takeFirst() { contents.append(try ItemContents(descriptor)) }
        self.init(contents)
    }

    /// Wraps the memory that an extension sent with its answer. The channel has checked that it is sealed.
    package init(_ sealed: [SealedBytes]) throws(ItemFailure) {
        var contents: [ItemContents] = []
        for bytes in sealed {
            let descriptor = try ItemFailure.wrapping { () throws(SystemError) in try bytes.descriptor.duplicate() }
            contents.append(try ItemContents(descriptor))
        }
        self.init(contents)
    }

    /// Descriptors to send: each reopened, so that the recipient gets a read-only file description of its own.
    package func readOnlyDescriptors() throws(SystemError) -> DescriptorList {
        var descriptors = DescriptorList()
        for contents in contents { descriptors.append(try contents.descriptor.reopenedReadOnly()) }
        return descriptors
    }
}
