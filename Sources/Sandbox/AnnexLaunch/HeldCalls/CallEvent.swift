internal import Synchronization

/// Something that a held call waits for. It happens at most once.
final class CallEvent: Sendable, Hashable {
    private enum State {
        case expected((@Sendable () -> Void)?)
        case happened
    }

    private let state = Mutex(State.expected(nil))

    var hasHappened: Bool {
        state.withLock { state in
            if case .happened = state { true } else { false }
        }
    }

    /// Notes the event, and runs the job that waits for it.
    func happen() {
        let job = state.withLock { state -> (@Sendable () -> Void)? in
            guard case .expected(let job) = state else { return nil }
            state = .happened
            return job
        }
        job?()
    }

    /// Runs a job when the event happens, on the thread that notes it; at once if it has happened. The job replaces one
    /// that waits already.
    func then(_ job: @escaping @Sendable () -> Void) {
        let isExpected = state.withLock { state in
            guard case .expected = state else { return false }
            state = .expected(job)
            return true
        }
        if !isExpected { job() }
    }

    static func == (one: CallEvent, other: CallEvent) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
