import AnnexLaunch
import AnnexLinux
import Synchronization

extension Bench {
    /// Measures the median of each step, in microseconds.
    func measure(_ count: Int) throws {
        let loop = try EventLoop()
        let warden = try Warden.start(on: loop, programs: [.carried])
        for hasNetwork in [true, false] {
            let samples = Mutex<[LaunchTimes]>([])
            for _ in 0..<count {
                var plan = try plan("exit", "0")
                if !hasNetwork { plan.layers.remove(.network) }
                let gate = try Gate()
                try warden.launch(plan) { event in
                    switch consume event {
                    case .executed(let times, _, _): samples.withLock { $0.append(times) }
                    case .ended: gate.open()
                    default: break
                    }
                }
                try gate.wait()
            }
            report(samples.withLock { $0 }, hasNetwork ? "with a network namespace" : "without")
        }
        warden.shutDown()
        loop.shutDown()
    }

    private func report(_ samples: [LaunchTimes], _ title: String) {
        let totals = samples.compactMap { times in times.end(of: .exec).map { $0 - times.begun } }
        say("\(title): plan to exec \(median(totals) / 1000) µs")
        for step in LaunchStep.allCases {
            let taken = samples.flatMap { times in times.durations.filter { $0.step == step } }
                .map { UInt64($0.duration.components.attoseconds / 1_000_000_000) }
            if !taken.isEmpty { say("  \(step.name) \(Double(median(taken) / 100) / 10)") }
        }
    }

    private func median(_ values: [UInt64]) -> UInt64 {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }
}
