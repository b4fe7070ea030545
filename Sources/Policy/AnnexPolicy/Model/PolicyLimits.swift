/// The limits of one extension. An extension that exceeds one of them is ended with a reason that names the limit.
public struct PolicyLimits: Sendable, Hashable {
    /// Memory of all kinds, in bytes.
    public package(set) var memory: UInt64
    /// The time from the start of the process to its hello.
    public package(set) var launch: Duration
    /// The time for each request.
    public package(set) var request: Duration
    /// The time without a sign of life while the extension works on a request.
    public package(set) var watchdog: Duration
    /// The time that the extension may live after its session was completed.
    public package(set) var grace: Duration
    /// Processor time over the extension's whole life.
    public package(set) var processor: Duration
    /// Processes and threads, including the extension's first.
    public let processes: Int
    /// Open descriptors.
    public let descriptors: Int
    /// The size of one file or of one sealed memory file, in bytes.
    public let file: UInt64
    /// Captured output, in bytes.
    public let output: UInt64
    /// Messages a second.
    public let messages: Int
    /// Bytes on their way through the channel, in either direction.
    public let inFlight: UInt64
    /// Calls that have begun and are not yet answered.
    public let openCalls: Int
    /// The number of refused system calls that are tolerated. One more ends the extension.
    public let denials: Int
    /// How many extensions of one extension point may run at once. A further launch waits for a free slot.
    public package(set) var instances: Int
    /// How long an extension that has served a request may wait for another request of the same host. Zero means one
    /// process for each request.
    public package(set) var keepAlive: Duration

    package init(
        memory: UInt64, launch: Duration, request: Duration, watchdog: Duration, grace: Duration, processor: Duration,
        processes: Int, descriptors: Int, file: UInt64, output: UInt64, messages: Int, inFlight: UInt64, openCalls: Int,
        denials: Int, instances: Int, keepAlive: Duration
    ) {
        self.memory = memory
        self.launch = launch
        self.request = request
        self.watchdog = watchdog
        self.grace = grace
        self.processor = processor
        self.processes = processes
        self.descriptors = descriptors
        self.file = file
        self.output = output
        self.messages = messages
        self.inFlight = inFlight
        self.openCalls = openCalls
        self.denials = denials
        self.instances = instances
        self.keepAlive = keepAlive
    }
}

extension PolicyLimits {
    /// Shortens the time limit of each request. A longer time than the policy's changes nothing.
    package mutating func tighten(request limit: Duration) {
        request = min(request, max(limit, .zero))
    }

    /// Lengthens the limits that are clock times: launch, request and watchdog. A shorter time than the policy's
    /// changes nothing.
    package mutating func loosen(time limit: Duration) {
        launch = max(launch, limit)
        request = max(request, limit)
        watchdog = max(watchdog, limit)
    }

    /// Lowers the memory limit, in bytes. A larger value than the policy's changes nothing.
    package mutating func tighten(memory limit: UInt64) {
        memory = min(memory, limit)
    }

    /// Shortens the time limit of the launch. A longer time than the policy's changes nothing.
    package mutating func tighten(launch limit: Duration) {
        launch = min(launch, max(limit, .zero))
    }
}
