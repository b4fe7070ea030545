package import AnnexPortalServer
internal import Synchronization

/// Runs an action of a test once, at a step of the desk's work.
package final class StepHook: Sendable {
    private let planned = Mutex<(step: TransferStep, act: @Sendable () -> Void)?>(nil)

    package init() {}

    package func plan(at step: TransferStep, _ act: @escaping @Sendable () -> Void) {
        planned.withLock { $0 = (step, act) }
    }

    /// The desk has come to a step.
    package func reach(_ step: TransferStep) {
        let act = planned.withLock { planned -> (@Sendable () -> Void)? in
            guard planned?.step == step else { return nil }
            return planned.take()?.act
        }
        act?()
    }
}
