/// The limits of a control group that the kernel accepted. Some kernels lack some of them.
package struct GroupBounds: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The memory of all members together, swap excluded.
    package static let memory = GroupBounds(rawValue: 1 << 0)
    /// Swapped memory of all members together.
    package static let swap = GroupBounds(rawValue: 1 << 1)
    /// If memory runs out, the kernel kills all members together.
    package static let wholeEnd = GroupBounds(rawValue: 1 << 2)
    package static let processes = GroupBounds(rawValue: 1 << 3)
    /// No use of the machine's huge pages, which no memory limit counts.
    package static let hugePages = GroupBounds(rawValue: 1 << 4)
    /// A smaller share of the processors than the host's, while both compete.
    package static let processorShare = GroupBounds(rawValue: 1 << 5)
    /// A smaller share of disk reads and writes than the host's, while both compete.
    package static let diskShare = GroupBounds(rawValue: 1 << 6)
}
