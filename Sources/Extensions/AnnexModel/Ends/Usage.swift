/// The resources that a process used. A value is nil if the machine does not measure it.
public struct Usage: Sendable, Hashable {
    /// The peak memory use, in bytes.
    public let peakMemory: UInt64?
    /// Processor time in the program.
    public let userTime: Duration?
    /// Processor time in the kernel on the program's behalf.
    public let systemTime: Duration?
    /// The messages and bytes of its channel; nil if they were not counted, for example because the launch failed.
    public let messages: SessionStatistics?
    /// How often the sandbox denied it something. Repetitions count.
    public let denials: Int

    public init(
        peakMemory: UInt64? = nil, userTime: Duration? = nil, systemTime: Duration? = nil,
        messages: SessionStatistics? = nil, denials: Int = 0
    ) {
        self.peakMemory = peakMemory
        self.userTime = userTime
        self.systemTime = systemTime
        self.messages = messages
        self.denials = denials
    }
}
