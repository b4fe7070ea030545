internal import AnnexLinux
internal import Glibc
internal import Synchronization

extension Warden {
    /// So many plans may wait for room in the socket; more are refused.
    static let backlogLargest = 1024

    /// Hands a plan to the warden. What comes of it is told to `handler`, on the event loop's thread; its last event is
    /// `ended` or `wardenLost`.
    /// - Throws: where the plan does not fit or the warden is gone; then the handler is never called.
    package func launch(
        _ plan: consuming LaunchPlan, handler: @escaping Handler
    ) throws(LaunchFailure) {
        let launch = state.withLock { state in
            state.lastLaunch += 1
            return state.lastLaunch
        }
        let bytes = try plan.encoded(launch: launch)
        let subjects = LaunchSubjects(plan)
        let outgoing = OutgoingPlan(launch: launch, bytes: bytes, descriptors: plan.takeDescriptors())
        try send(outgoing, Launch(handler: handler, subjects: subjects))
    }

    /// Sends what was laid out, now or when there is room.
    func send(_ outgoing: OutgoingPlan, _ launch: Launch) throws(LaunchFailure) {
        try state.withLock { (state) throws(LaunchFailure) in
            guard !state.isLost else { throw Self.lost }
            guard state.backlog.count < Self.backlogLargest else {
                throw LaunchFailure(.plan, errno: EAGAIN, remedy: "too many launches wait: start fewer at once")
            }
            // Known before it is sent: the first answer may be faster than this thread.
            state.launches[outgoing.launch] = launch
            do throws(SystemError) {
                if state.backlog.isEmpty, try outgoing.send(on: socket) { return }
            } catch {
                state.launches[outgoing.launch] = nil
                // It closes its socket a moment before it has ended.
                if error.errno == EPIPE { state.isLost = true }
                throw Self.refusal(error)
            }
            state.backlog.append(outgoing)
            if state.backlog.count == 1 { retryLater() }
        }
    }

    static let lost = refusal(SystemError("sendmsg of a plan", errno: EPIPE))

    private static func refusal(_ error: SystemError) -> LaunchFailure {
        let remedy = LaunchFailure.remedy(.plan, errno: error.errno) ?? "something ended the warden: try again"
        return LaunchFailure(.plan, errno: error.errno, remedy: remedy)
    }

    /// The warden reads plans as fast as it can: whoever waits for room waits for less than this.
    private func retryLater() {
        loop.schedule(after: .milliseconds(1)) { [weak self] in self?.sendBacklog() }
    }

    private func sendBacklog() {
        while let (launch, failure) = sendUntilRefused() {
            launch.handler(.failed(failure, LaunchTimes(begun: 0, ends: [])))
            launch.handler(.ended(nil, ResourceUsage()))
        }
    }

    /// - Returns: a launch that has to be told of its end; there may be more to send.
    private func sendUntilRefused() -> (Launch, LaunchFailure)? {
        state.withLock { state in
            while let first = state.backlog.first {
                do throws(SystemError) {
                    guard try first.send(on: socket) else {
                        retryLater()
                        return nil
                    }
                    state.backlog.removeFirst()
                } catch {
                    state.backlog.removeFirst()
                    guard let launch = state.launches.removeValue(forKey: first.launch) else { continue }
                    return (launch, Self.refusal(error))
                }
            }
            return nil
        }
    }
}

extension LaunchPlan {
    consuming func takeDescriptors() -> DescriptorList { descriptors }
}
