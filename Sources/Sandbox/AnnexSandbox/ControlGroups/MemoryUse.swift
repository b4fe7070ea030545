/// What a control group counted of its members' memory.
package struct MemoryUse: Sendable, Hashable {
    /// The most bytes ever charged at once; nil on kernels that do not say.
    package let peak: UInt64?
    /// How many members the kernel killed because the limit was reached.
    package let kills: UInt64

    package init(peak: UInt64?, kills: UInt64) {
        self.peak = peak
        self.kills = kills
    }
}
