// The steps match those of `LeadingThread` and `Summons` one for one.
extension SleepModel {
    /// The reader checks for jobs before it sleeps on the ring.
    func idleSteps(_ state: State) -> [State] {
        switch state.reader {
        case .readSummons: return [state.with { ($0.seenSummons, $0.reader) = ($0.summons, .takeJob) }]
        case .takeJob:
            // This is one step, because the thread holds the lock of the jobs.
            return [
                state.with {
                    let hasJob = $0.added > $0.ran
                    if hasJob { $0.ran += 1 }
                    if marksIdleAtOnce || hasJob { $0.isIdle = !hasJob }
                    $0.reader = hasJob ? .look : marksIdleAtOnce ? .raiseFlag : .markIdle
                }
            ]
        case .markIdle: return [state.with { ($0.isIdle, $0.reader) = (true, .raiseFlag) }]
        default: return []
        }
    }

    /// Another thread hands in a job. If the reader is idle, that thread summons it.
    func callerSteps(_ state: State) -> [State] {
        switch state.caller {
        case .add:
            guard state.added < jobs else { return [] }
            return [
                state.with {
                    $0.added += 1
                    if $0.isIdle { $0.caller = .raise }
                    $0.isIdle = false
                }
            ]
        case .raise: return [state.with { ($0.summons, $0.caller) = ($0.summons + 1, .wake) }]
        case .wake:
            return [
                state.with {
                    $0.caller = .add
                    if $0.reader == .asleep { $0.reader = .lowerFlag }
                }
            ]
        }
    }
}
