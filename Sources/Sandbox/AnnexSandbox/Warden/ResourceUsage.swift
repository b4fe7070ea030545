/// The resources that a process used in its life, together with the children that it waited for.
package struct ResourceUsage: Sendable, Hashable {
    /// Processor time in user mode.
    package var userTime: Duration
    package var systemTime: Duration
    /// The largest resident set at any moment, in bytes.
    package var peakMemory: UInt64

    package init(userTime: Duration = .zero, systemTime: Duration = .zero, peakMemory: UInt64 = 0) {
        self.userTime = userTime
        self.systemTime = systemTime
        self.peakMemory = peakMemory
    }
}
