package import AnnexMessages

/// The requests of a group's member, an extension or app, about the group itself.
package enum GroupMethod {
    /// The answer is a `GroupTerms` and a read-only descriptor of the shared words (`GroupWords`). If the terms name
    /// no descriptor of locks, the answer also carries a descriptor of the file of locks.
    package static let join = PortalMethod(.groups, number: 1)
    /// The answer is a `NameList`: the groups of this member.
    package static let list = PortalMethod(.groups, number: 2)
}

/// What a member needs to know to use its group.
package struct GroupTerms: Message, Hashable {
    /// The absolute path of the container.
    package let container: String
    /// The number of the member's descriptor of the file of locks; nil if the member got no such descriptor at its
    /// launch.
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

/// The shared words of a group: one page that brokers write and that members map for reading. Each word has a cache
/// line of its own.
package enum GroupWords {
    package static let size = 4096
    /// This word changes with each change of the shared defaults.
    package static let defaults = 0
    /// This word is not 0 while a member waits for a lock. After the wait, the word may keep its value for some time.
    package static let waiters = 128
    /// This word is not 0 while a member has presenters, objects that show an item to the user. After the last
    /// presenter is gone, the word may keep its value for some time.
    package static let presenters = 256
    /// This word counts the lock releases that brokers have announced. A release is announced only while a member
    /// waits.
    package static let releases = 384
    /// This word counts how often a broker could not write news into the group's journal.
    package static let lostNews = 512
}
