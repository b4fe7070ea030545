internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

extension DenialListener {
    /// The first and the longest wait of a call before the broker checks its connection. Each wait is twice as long
    /// as the wait before it, up to `longest`.
    private static let (first, longest) = (Duration.microseconds(500), Duration.milliseconds(16))

    /// Handles a call that connects. The broker makes the connection or refuses it. The broker does so on a separate
    /// thread, because the kernel may take long.
    func connect(_ call: HeldCall, verdict: Verdict) {
        connectLater(call) { listener in
            let outcome = ProgramConnection.begin(call, on: listener.listener)
            listener.settle(call, verdict: verdict, after: outcome, pause: Self.first)
        }
    }

    private func settle(
        _ call: HeldCall, verdict: Verdict, after outcome: ProgramConnection.Outcome, pause: Duration
    ) {
        switch outcome {
        case .connected: call.complete(on: listener)
        case .failed(let errno): settle(call, with: .deny(errno: errno))
        case .barred(let address, let barrier): bar(call, verdict: verdict, from: address, barrier: barrier)
        case .waiting:
            guard call.isHeld(on: listener) else { return }
            connectLater(call, at: MonotonicClock.deadline(after: pause)) { listener in
                let outcome = ProgramConnection.look(call, on: listener.listener)
                listener.settle(call, verdict: verdict, after: outcome, pause: min(pause * 2, Self.longest))
            }
        }
    }

    private func connectLater(
        _ call: HeldCall, at moment: UInt64 = 0, _ job: @escaping @Sendable (DenialListener) -> Void
    ) {
        let isTaken = connections.perform(at: moment) { [weak self] in
            if let self { job(self) }
        }
        if !isTaken { settle(call, with: .deny(errno: EAGAIN)) }
    }

    /// Reports the refusal on the event loop that reports all denials.
    private func bar(
        _ call: HeldCall, verdict: Verdict, from address: InternetAddress, barrier: InternetAddress.Barrier
    ) {
        var verdict = verdict
        verdict.reason = barrier.rawValue
        let number = Int32(truncatingIfNeeded: call.arguments[0])
        let text = "connect(\(number), \(address.text))"
        answers.execute { [weak self, verdict] in
            self?.deny(
                call, verdict: verdict, decision: .deny(errno: EACCES), answer: .denied(errno: EACCES), text: text)
        }
    }
}
