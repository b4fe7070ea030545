package import AnnexMessages

/// What a member may ask about a group.
package enum GroupMethod {
    /// Answered with `GroupTerms` and the shared words, for reading. If the terms name no descriptor of locks, the file of locks
    /// travels too.
    package static let join = PortalMethod(.groups, number: 1)
    /// Answered with `NameList`: the groups of this member.
    package static let list = PortalMethod(.groups, number: 2)
}

/// Where a member finds its group.
package struct GroupTerms: Message, Hashable {
    /// The absolute path of the container.
    package let container: String
    /// The number of the member's descriptor of the file of locks, if it got one at its launch.
    package let locks: Int32?

    package init(container: String, locks: Int32?) {
        self.container = container
        self.locks = locks
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(container, as: 1)
        encoder.encode(locks, as: 2)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        container = try decoder.decode(1)
        locks = try decoder.decodeIfPresent(2)
    }
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
    /// Not 0 while a member waits for a lock, and perhaps for some time after.
    package static let waiters = 128
    /// Not 0 while a member has presenters, and perhaps for some time after.
    package static let presenters = 256
    /// Counts releases of locks that others waited for.
    package static let releases = 384
    /// Counts news that a broker could not write into the journal.
    package static let lostNews = 512
}
