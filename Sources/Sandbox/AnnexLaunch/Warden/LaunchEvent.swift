package import AnnexLinux

/// An event of one launch, reported by the warden. They come in the order of the cases; `ended` or `wardenLost` is the
/// last one.
package enum LaunchEvent: ~Copyable, Sendable {
    /// The process exists and has this number on the host. None of its own code runs yet.
    case started(ProcessHandle, process: Int32)
    /// A descriptor of the process could not be received, because this program has no descriptor number left. Without
    /// it the process cannot be watched. `process` is the process's number if the lost descriptor is its own handle,
    /// else nil.
    case unheld(process: Int32?)
    /// The descriptor on which the broker receives the calls that the filter refers to it. The process waits until this
    /// event was delivered.
    case listener(Descriptor)
    /// Its own code runs.
    case executed(LaunchTimes, SandboxLayers)
    /// A signal stopped the program. Reported only for launches with a reaper.
    case stopped(signal: Int32)
    case failed(LaunchFailure, LaunchTimes)
    /// The process ended. The end is nil if no process was ever made.
    case ended(ProcessEnd?, ResourceUsage)
    /// The warden died. The kernel kills its sandboxes, and their exit statuses are lost.
    case wardenLost
}

/// How a process ended, as the kernel reports it.
package enum ProcessEnd: Sendable, Hashable {
    case exited(code: Int32)
    /// A signal killed the process. `core`: the kernel would have written its memory to a file, if that were allowed.
    case signalled(signal: Int32, core: Bool)

    /// - Parameter status: as `wait4` gives it.
    init(waitStatus status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited(code: status >> 8 & 0xff) : .signalled(signal: signal, core: status & 0x80 != 0)
    }
}

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

/// The time at which each step of a launch ended, on `MonotonicClock`.
package struct LaunchTimes: Sendable, Hashable {
    /// The time at which the warden had read the plan.
    package let begun: UInt64
    /// The end of each step, by its number; 0 for a step that was not reached.
    let ends: [UInt64]

    init(begun: UInt64, ends: [UInt64]) {
        self.begun = begun
        self.ends = ends
    }

    /// The time at which a step ended; nil if it was not reached.
    package func end(of step: LaunchStep) -> UInt64? {
        let place = Int(step.rawValue)
        guard place < ends.count, ends[place] != 0 else { return nil }
        return ends[place]
    }

    /// The steps in the order of their ends, each with the time since the end of the one before.
    ///
    /// Warden and child run in parallel during some steps. The sum is the time of the whole launch.
    package var durations: [(step: LaunchStep, duration: Duration)] {
        var before = begun
        let reached = LaunchStep.allCases.compactMap { step in end(of: step).map { (step, $0) } }
        return reached.sorted { $0.1 < $1.1 }.map { step, end in
            defer { before = max(before, end) }
            return (step, .nanoseconds(Int64(clamping: end > before ? end - before : 0)))
        }
    }
}
