internal import AnnexLinux
internal import AnnexPolicy

/// A layer that this machine cannot provide, and the step of a launch that showed it.
struct LayerLack: Sendable {
    let layer: SandboxLayer
    let failure: LaunchFailure

    /// The failed step with its errno, in words.
    var seen: String {
        let about = failure.subject.map { " \($0)" } ?? ""
        return "\(failure.step.name)\(about): \(Errno.name(failure.errno)) (\(Errno.text(failure.errno)))"
    }
}
