package import AnnexMessages

/// What a member may ask about a group.
package enum GroupMethod {
    /// Answered with `GroupTerms` and two descriptors: the shared words, for reading, and the file of locks.
    package static let join = PortalMethod(.groups, number: 1)
    /// Answered with `NameList`: the groups of this member.
    package static let list = PortalMethod(.groups, number: 2)
}

/// Where a member finds its group.
package struct GroupTerms: Message, Hashable {
    /// The absolute path of the container.
    package let container: String

    package init(container: String) { self.container = container }

    package func encode(into encoder: inout MessageEncoder) { encoder.encode(container, as: 1) }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) { container = try decoder.decode(1) }
}

/// A list of names.
package struct NameList: Message, Hashable {
    package let names: [String]

    package init(names: [String]) { self.names = names }

    package func encode(into encoder: inout MessageEncoder) { encoder.encode(list: names, as: 1) }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) { names = try decoder.decodeList(1) }
}

/// The shared words of a group: one page that brokers write and members map for reading. Each word lies in a cache line of
/// its own.
package enum GroupWords {
    package static let size = 4096
    /// Changes with each change of the shared defaults.
    package static let defaults = 0
    /// Not 0 while a coordinator waits for a lock.
    package static let waiters = 128
}
