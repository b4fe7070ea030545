/// A task whose call has an outcome, which it is still to be resumed with.
struct AnsweredTask: Sendable {
    let task: CheckedContinuation<ChannelCall.Outcome, Never>
    let outcome: ChannelCall.Outcome

    func resume() {
        task.resume(returning: outcome)
    }
}
