package import AnnexLinux

/// What the warden tells about one launch, in this order; `ended` or `wardenLost` is the last word.
package enum LaunchEvent: ~Copyable, Sendable {
    /// The process exists, under this number on the host; none of its own code runs yet.
    case started(ProcessHandle, process: Int32)
    /// A descriptor of the process was lost on its way, because this program has no numbers left: nobody could watch
    /// it. Its number, where it is the process's own handle that was lost.
    case unheld(process: Int32?)
    /// The calls that the filter refers to the broker arrive here. The process waits until this was told.
    case listener(Descriptor)
    /// Its own code runs.
    case executed(LaunchTimes, SandboxLayers)
    /// A signal stopped the program; with a reaper only.
    case stopped(signal: Int32)
    case failed(LaunchFailure, LaunchTimes)
    /// nil: no process was ever made.
    case ended(ProcessEnd?, ResourceUsage)
    /// The warden died; the kernel kills what it launched, and how that ended nobody will say.
    case wardenLost
}
