/// What a process used up; nil where the machine does not tell.
public struct Usage: Sendable, Hashable {
    /// The most memory at any moment, in bytes.
    public let peakMemory: UInt64?
    /// Processor time in the program.
    public let userTime: Duration?
    /// Processor time in the kernel on the program's behalf.
    public let systemTime: Duration?
    /// What went through its channel; nil where nobody counted, as in a launch that failed.
    public let messages: SessionStatistics?
    /// How often the sandbox refused it something, each time counted.
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
