/// The limits of one extension. Most limits end an extension that exceeds them, with a reason that names the limit.
///
/// `request`, `watchdog` and `processor` can be `noTimeLimit`. Only programs of `annex run` and of `Sandbox` can have
/// such limits. An extension always has a time limit.
public struct PolicyLimits: Sendable, Hashable {
    /// Memory of all kinds, in bytes.
    public package(set) var memory: UInt64
    /// The time from the start of the process to its hello.
    public package(set) var launch: Duration
    /// The time for each request.
    public package(set) var request: Duration
    /// The longest time without a sign of life while the extension works on a request.
    public package(set) var watchdog: Duration
    /// The longest time that the extension may live after its session was completed.
    public package(set) var grace: Duration
    /// Processor time over the whole life of the extension.
    public package(set) var processor: Duration
    /// Processes and threads, including the first process of the extension.
    public let processes: Int
    /// Open descriptors.
    public let descriptors: Int
    /// The size of one file or of one sealed memory file, in bytes.
    public let file: UInt64
    /// Captured output, in bytes.
    public let output: UInt64
    /// Messages per second.
    public let messages: Int
    /// Bytes that are in the channel, in either direction.
    public let inFlight: UInt64
    /// Calls that have begun and are not yet answered.
    public let openCalls: Int
    /// The number of refused system calls that are tolerated. The next refused call ends the extension.
    public let denials: Int
    /// How many extensions of one extension point may run at once. A further launch waits for a free slot.
    public package(set) var instances: Int
    /// How long an extension that has served a request may wait for another request of the same host. Zero means one
    /// process for each request.
    public package(set) var keepAlive: Duration

    /// The value of a time limit for which the policy states `none`.
    public static let noTimeLimit = Quantity.endless

    /// Whether this value of a time limit means that there is no limit.
    package static func isNone(_ time: Duration) -> Bool { time >= noTimeLimit }

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
    /// Shortens the time limit of each request. If the time is longer than the policy's limit, nothing changes.
    package mutating func tighten(request limit: Duration) {
        request = min(request, max(limit, .zero))
    }

    /// Lengthens the limits that are measured by the clock: launch, request and watchdog. If the time is shorter than a
    /// limit of the policy, that limit does not change.
    ///
    /// The order of the limits stays the same. So an extension that misbehaves in some way exceeds the same limit first
    /// as it does without the longer times.
    package mutating func loosen(time limit: Duration) {
        let before = self
        launch = max(launch, limit)
        request = max(request, limit)
        watchdog = max(watchdog, limit)
        // An extension that never polls its channel exceeds both limits.
        if before.watchdog < before.request, watchdog >= request {
            request = watchdog + (before.request - before.watchdog)
        }
        // An extension that computes without end exceeds the limit of processor time too, on several processors even
        // faster than time passes. So this limit grows by the same factor as the others.
        let factors = [(request, before.request), (watchdog, before.watchdog)].map { longer, shorter in
            shorter > .zero ? longer / shorter : 1
        }
        // The factor of 1 would round a limit of `none`, whose time is longer than the numbers of the factor are exact.
        if let factor = factors.max(), factor > 1 { processor = processor * factor }
    }

    /// Lowers the memory limit, in bytes. If the value is larger than the policy's limit, nothing changes.
    package mutating func tighten(memory limit: UInt64) {
        memory = min(memory, limit)
    }

    /// Shortens the time limit of the launch. If the time is longer than the policy's limit, nothing changes.
    package mutating func tighten(launch limit: Duration) {
        launch = min(launch, max(limit, .zero))
    }
}
