internal import AnnexLaunch

/// The limits for all extensions of one broker together, in addition to the policy of each.
package struct BrokerShare: Sendable, Hashable {
    /// The name of the control group that holds these limits.
    package var name: String
    /// The most memory in bytes.
    package var memory: UInt64
    /// The most processes and threads together.
    package var processes: Int
    /// The shares of processors and disks when other programs compete for them. A program without a share has 100.
    package var processorWeight: Int
    package var diskWeight: Int

    package init(name: String, memory: UInt64, processes: Int, processorWeight: Int, diskWeight: Int) {
        self.name = name
        self.memory = memory
        self.processes = processes
        self.processorWeight = processorWeight
        self.diskWeight = diskWeight
    }

    var group: GroupShare {
        GroupShare(
            name: name, memory: memory, processes: UInt64(max(1, processes)), processorWeight: processorWeight,
            diskWeight: diskWeight)
    }
}
