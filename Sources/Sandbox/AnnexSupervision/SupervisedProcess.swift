package import AnnexLaunch
package import AnnexLinux
package import AnnexPolicy
internal import Synchronization

/// One sandboxed process and its `Lifecycle`. Events of the sandbox and of the owner become inputs of the `Lifecycle`,
/// and its effects are performed. No other code drives a `Lifecycle`.
///
/// This protocol keeps the timer, kills the process and enforces the limits that are counts. The conforming type performs
/// the other effects.
package protocol SupervisedProcess: AnyObject, Sendable {
    var supervision: Supervision { get }

    /// Performs an effect other than `wake` and `kill`.
    func perform(_ effect: Lifecycle.Effect)

    /// Called for each event of the sandbox, before the event changes the life.
    func note(_ event: SandboxEvent)

    /// Called for each input, after it has changed the life. The supervision's lock is held.
    func note(_ input: Lifecycle.Input, at moment: Moment, in life: Lifecycle)
}

extension SupervisedProcess {
    package func note(_ input: Lifecycle.Input, at moment: Moment, in life: Lifecycle) {}

    /// Gives the plan to the warden. The call is part of the effect `launch`.
    package func launch(_ configuration: consuming SandboxConfiguration, by launcher: Launcher) throws(SandboxError) {
        // The closure's reference keeps the supervised process alive until the kernel reports its end.
        let process = try launcher.launch(configuration) { [self] in receive($0) }
        supervision.state.withLock { $0.process = process }
    }

    /// Ends a life whose launch failed before there was a process.
    package func fail(_ error: SandboxError) {
        supervision.state.withLock { $0.end = SandboxEnd(failure: error) }
        apply(.gone)
    }

    /// Ends the process for a cause that Annex found.
    package func end(for cause: EndCause) { apply(.mustEnd(cause)) }

    private func receive(_ event: SandboxEvent) {
        note(event)
        switch event {
        case .started(let number):
            supervision.state.withLock { $0.number = number }
            apply(.started)
        case .executed(let report):
            supervision.state.withLock { $0.report = report }
            apply(.executed)
        case .denied(let denial, let total):
            if denial.answer == .ended || total > supervision.limits.denials { end(for: .deniedOperation(denial)) }
        case .aborted: end(for: .aborted)
        case .wrote(let total): if total > supervision.limits.output { end(for: .outputLimit) }
        // A process that stopped itself does nothing more, so its time limits end it.
        case .stopped: break
        case .died: apply(.died)
        case .ended(let end):
            supervision.state.withLock { $0.end = end }
            apply(.gone)
        }
    }

    // MARK: Inputs in order

    package func apply(_ input: Lifecycle.Input) {
        let mustWork = supervision.state.withLock { state in
            // The moment is read inside the lock, so that moments are in the order of their inputs.
            state.waiting.append((input, .now))
            defer { state.isAtWork = true }
            return !state.isAtWork
        }
        guard mustWork else { return }
        while let effects = nextEffects() {
            for effect in effects { carryOut(effect) }
        }
    }

    private func nextEffects() -> [Lifecycle.Effect]? {
        supervision.state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isAtWork = false
                return nil
            }
            let (input, moment) = state.waiting.removeFirst()
            defer { note(input, at: moment, in: state.life) }
            return state.life.handle(input, at: moment)
        }
    }

    private func carryOut(_ effect: Lifecycle.Effect) {
        switch effect {
        case .wake(let moment): wake(at: moment)
        case .kill: supervision.process?.kill()
        default: perform(effect)
        }
    }

    private func wake(at moment: Moment?) {
        let timer = moment.map { moment in
            supervision.loop.schedule(at: moment.nanoseconds) { [weak self] in self?.apply(.clock) }
        }
        let last = supervision.state.withLock { state in
            defer { state.timer = timer }
            return state.timer
        }
        last?.cancel()
    }
}

/// The state of a `SupervisedProcess`, which every such process has.
package final class Supervision: Sendable {
    struct State: ~Copyable {
        var life: Lifecycle
        /// Inputs that wait for processing, each with its moment. If no other thread processes them, the thread that
        /// adds an input processes all of them. So effects happen in the order of their inputs, although there is no
        /// separate thread for them. The order is kept even if an effect adds the next input.
        var waiting: [(input: Lifecycle.Input, moment: Moment)] = []
        var isAtWork = false
        var timer: EventLoop.Timer?
        var process: SandboxedProcess?
        /// The process ID on the host, after the process has one.
        var number: Int32?
        var report: SandboxReport?
        var end: SandboxEnd?
    }

    let state: Mutex<State>
    let kind: LifeKind
    package let limits: PolicyLimits
    package let loop: EventLoop

    package init(of kind: LifeKind, limits: PolicyLimits, on loop: EventLoop) {
        self.kind = kind
        self.limits = limits
        self.loop = loop
        state = Mutex(State(life: Lifecycle(LifecycleTimes(limits, of: kind))))
    }

    /// Runs `body` with the life after all inputs so far, while no input changes it. Inputs that still wait for another
    /// thread count too: an extension that was switched off must not be claimed because that thread is slow.
    package func withLife<Result: Sendable>(_ body: (Lifecycle) -> Result) -> Result {
        state.withLock { state in
            var life = state.life
            for (input, moment) in state.waiting { _ = life.handle(input, at: moment) }
            return body(life)
        }
    }

    /// The process; nil before it exists and after its end.
    package var process: SandboxedProcess? { state.withLock { $0.process } }

    /// The process ID on the host; nil before the process has one.
    package var number: Int32? { state.withLock { $0.number } }

    /// The report on the launch; nil if the process's own code never ran.
    package var report: SandboxReport? { state.withLock { $0.report } }

    /// Releases the process, and decides why it ended. The call is part of the effect `finish`.
    package func conclude(_ cause: EndCause?) -> (ending: Ending, facts: SandboxEnd) {
        let facts = state.withLock { state in
            // The process refers to its owner. Without this step, the two would keep each other alive for ever.
            state.process = nil
            return state.end ?? SandboxEnd()
        }
        return (Ending.decide(cause, facts: facts, limits: limits, kind: kind), facts)
    }
}
