internal import AnnexPolicy

/// The limits of each part of an extension's life, and its memory limit.
struct LifecycleTimes: Sendable, Equatable {
    /// The longest wait for an instance slot.
    var place = Duration.seconds(10)
    /// The longest wait for the warden, which normally makes a process within milliseconds.
    var queue = Duration.seconds(10)
    /// The longest time from the start of the process to its hello.
    var launch: Duration
    /// The longest time for each request.
    var request: Duration
    /// The longest time without a sign of life while a request is open.
    var watchdog: Duration
    /// The time from the goodbye to the end.
    var grace: Duration
    /// The longest time from the close of the channel to the kernel's report of the end.
    var silence = Duration.seconds(5)
    /// The longest time from the kill to the kernel's report of the end.
    var death = Duration.seconds(5)
    /// The memory limit in bytes.
    var memory: UInt64

    /// The time between two measurements of a busy extension's memory.
    static let look = Duration.milliseconds(100)

    /// A clock input that is later than this means that the broker or the machine was held up.
    static let lateness = Duration.milliseconds(100)
}

extension LifecycleTimes {
    init(_ limits: PolicyLimits) {
        self.init(
            launch: limits.launch, request: limits.request, watchdog: limits.watchdog, grace: limits.grace,
            memory: limits.memory)
        // A policy with a longer launch limit is meant for a machine on which everything takes longer.
        place = max(place, limits.launch)
        queue = max(queue, limits.launch)
    }

    /// How often a busy extension is asked for a sign of life.
    var ping: Duration { watchdog / 4 }

    /// The time from the goodbye to the warning that the grace is about to end.
    var warning: Duration { grace / 4 * 3 }

    /// From this use on, the extension gets a memory warning. It gets another one only after its use was below `calm`.
    var alarm: UInt64 { memory / 5 * 4 }
    var calm: UInt64 { memory / 10 * 7 }
}
