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
