internal import AnnexSandbox

/// What all extensions of one broker may have together, beside what the policy of each says.
package struct BrokerShare: Sendable, Hashable {
    /// What the control group is called that holds them to it.
    package var name: String
    /// Bytes.
    package var memory: UInt64
    /// Processes and threads.
    package var processes: Int
    /// Of the processors and of the disks, where others want them too: against those of other brokers, and against a
    /// program without a share, which has 100.
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
