internal import AnnexLaunch
internal import AnnexLinux
internal import CAnnexDoctor
internal import Glibc

/// A kernel feature that may or may not be available to this user. It is tried in a separate process.
package struct KernelFeature: Sendable {
    let trial: Int
    let id: String
    let topic: Finding.Topic
    let title: String
    /// The finding's level if the feature does not work.
    let level: Finding.Level
    let meaning: String
    /// The remedy if the kernel itself lacks the feature.
    let remedy: String

    /// The longest time that one trial may take, in milliseconds. A trial normally takes microseconds.
    static let patience: Int32 = 30_000

    /// Whether the trial begins by making a user namespace.
    var isOfNamespaces: Bool {
        [ANNEX_TRIAL_USER_NAMESPACE, ANNEX_TRIAL_PROCFS, ANNEX_TRIAL_PROCFS_SUBSET].contains { Int($0) == trial }
    }

    package enum Answer: Sendable, Hashable {
        case works(value: UInt64)
        case denied(errno: Int32)
        /// A filter around this program kills the process that makes the call.
        case killed(signal: Int32)
        case late
        /// No process could be made for the trial.
        case untried(errno: Int32)
    }

    func attempt() -> Answer {
        var result = annex_trial_result()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        let made = unsafe annex_trial(Int32(trial), Self.patience, &result)
        if made < 0 { return .untried(errno: -made) }
        if result.late != 0 { return .late }
        if result.signal != 0 { return .killed(signal: result.signal) }
        return result.error == 0 ? .works(value: result.value) : .denied(errno: result.error)
    }
}

extension KernelFeature.Answer: CustomStringConvertible {
    package var description: String {
        switch self {
        case .works(let value): value > 1 ? "tried: works (\(value))" : "tried: works"
        case .denied(let errno): "tried: \(Errno.name(errno)) (\(Errno.text(errno)))"
        case .killed(let signal): "tried: killed by signal \(signal)"
        case .late: "tried: no answer within \(KernelFeature.patience / 1000) s"
        case .untried(let errno): "not tried, because no process could be made: \(Errno.name(errno))"
        }
    }

    var isDeadly: Bool {
        if case .killed = self { true } else { false }
    }

    /// Whether a filter around this program may have caused the failure.
    var mayBeFiltered: Bool {
        switch self {
        case .works, .late, .untried: false
        case .killed: true
        // The two errnos that filters return.
        case .denied(let errno): errno == EPERM || errno == ENOSYS
        }
    }
}
