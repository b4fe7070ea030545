/// The bounds on one extension; past one of them it is ended with a reason that names it.
public struct PolicyLimits: Sendable, Hashable {
    /// Memory of all kinds, in bytes.
    public package(set) var memory: UInt64
    /// From the start of the process to its hello.
    public package(set) var launch: Duration
    /// For each request.
    public package(set) var request: Duration
    /// Without a sign of life while it is at work on a request.
    public package(set) var watchdog: Duration
    /// What it may live on after it completed.
    public package(set) var grace: Duration
    /// Processor time over its whole life.
    public package(set) var processor: Duration
    /// Processes and threads, itself included.
    public let processes: Int
    /// Open descriptors.
    public let descriptors: Int
    /// One file or sealed memory, in bytes.
    public let file: UInt64
    /// Captured output, in bytes.
    public let output: UInt64
    /// Messages a second.
    public let messages: Int
    /// Bytes on their way through the channel, either direction.
    public let inFlight: UInt64
    /// Calls begun and not yet answered.
    public let openCalls: Int
    /// Refused system calls before it is ended for asking.
    public let refusals: Int
    /// How many extensions under this policy may run at once; one more waits for a place.
    public package(set) var instances: Int
    /// How long one that has served a request may wait for another of the same host; zero: a process for each.
    public package(set) var keepAlive: Duration

    package init(
        memory: UInt64, launch: Duration, request: Duration, watchdog: Duration, grace: Duration, processor: Duration,
        processes: Int, descriptors: Int, file: UInt64, output: UInt64, messages: Int, inFlight: UInt64, openCalls: Int,
        refusals: Int, instances: Int, keepAlive: Duration
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
        self.refusals = refusals
        self.instances = instances
        self.keepAlive = keepAlive
    }
}

extension PolicyLimits {
    /// Shortens the time of each request; a longer one than the policy's changes nothing.
    package mutating func tighten(request limit: Duration) {
        request = min(request, max(limit, .zero))
    }

    /// Lengthens what ends an extension by the clock alone; a shorter time than the policy's changes nothing.
    package mutating func loosen(time limit: Duration) {
        launch = max(launch, limit)
        request = max(request, limit)
        watchdog = max(watchdog, limit)
    }

    /// Lowers the memory, in bytes; more than the policy's changes nothing.
    package mutating func tighten(memory limit: UInt64) {
        memory = min(memory, limit)
    }

    /// Shortens the time to its start; a longer one than the policy's changes nothing.
    package mutating func tighten(launch limit: Duration) {
        launch = min(launch, max(limit, .zero))
    }
}
