/// What the files of a control group took: a kernel may lack some of them.
package struct GroupBounds: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Memory that is there, of all members together.
    package static let memory = GroupBounds(rawValue: 1 << 0)
    /// Memory that was swapped out.
    package static let swap = GroupBounds(rawValue: 1 << 1)
    /// Where memory runs out, all members end together.
    package static let wholeEnd = GroupBounds(rawValue: 1 << 2)
    package static let processes = GroupBounds(rawValue: 1 << 3)
    /// None of the machine's huge pages, which no memory limit counts.
    package static let hugePages = GroupBounds(rawValue: 1 << 4)
    /// A smaller share of the processors than the host's, where both want them.
    package static let processorShare = GroupBounds(rawValue: 1 << 5)
    /// The same of what disks read and write.
    package static let diskShare = GroupBounds(rawValue: 1 << 6)
}
