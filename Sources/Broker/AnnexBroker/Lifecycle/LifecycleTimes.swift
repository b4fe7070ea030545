internal import AnnexPolicy

/// How long each part of a life may take, and how much memory it has.
struct LifecycleTimes: Sendable, Equatable {
    /// For a place among those that run at once.
    var place = Duration.seconds(10)
    /// For the warden, which makes a process within milliseconds.
    var queue = Duration.seconds(10)
    /// From the start of the process to its hello.
    var launch: Duration
    /// For each request.
    var request: Duration
    /// Without a sign of life while a request is open.
    var watchdog: Duration
    /// From its goodbye to its end.
    var grace: Duration
    /// From the close of its channel to the kernel's word that it is gone.
    var silence = Duration.seconds(5)
    /// From the kill to that word.
    var death = Duration.seconds(5)
    /// In bytes.
    var memory: UInt64

    /// Between two looks at the memory of an extension at work.
    static let look = Duration.milliseconds(100)

    /// A clock that comes later than this was held up itself.
    static let lateness = Duration.milliseconds(100)
}

extension LifecycleTimes {
    init(_ limits: PolicyLimits) {
        self.init(
            launch: limits.launch, request: limits.request, watchdog: limits.watchdog, grace: limits.grace,
            memory: limits.memory)
        // Who lets a launch take longer has a machine on which everything takes longer.
        place = max(place, limits.launch)
        queue = max(queue, limits.launch)
    }

    /// How often an extension at work is asked for a sign of life.
    var ping: Duration { watchdog / 4 }

    /// From its goodbye to the word that its end is near.
    var warning: Duration { grace / 4 * 3 }

    /// From here on it is asked to use less memory; once more only after it was below `calm`.
    var alarm: UInt64 { memory / 5 * 4 }
    var calm: UInt64 { memory / 10 * 7 }
}
