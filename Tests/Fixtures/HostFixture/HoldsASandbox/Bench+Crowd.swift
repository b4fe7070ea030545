import AnnexLaunch
import AnnexLinux
import Synchronization

extension Bench {
    /// Makes this many launches at once, and observes each launch to its end.
    func crowd(_ count: Int) throws {
        let loop = try EventLoop()
        let warden = try Warden.start(on: loop, programs: [.carried])
        let gate = try Gate()
        let running = Atomic<Int>(0)
        let failed = Mutex<[String: Int]>([:])
        let begun = MonotonicClock.now()
        for _ in 0..<count {
            try warden.launch(plan("stay")) { event in
                switch consume event {
                case .executed:
                    if running.add(1, ordering: .relaxed).newValue == count { gate.open() }
                case .failed(let failure, _):
                    failed.withLock { $0["\(failure)", default: 0] += 1 }
                    if running.add(1, ordering: .relaxed).newValue == count { gate.open() }
                default: break
                }
            }
        }
        try gate.wait()
        say("milliseconds=\((MonotonicClock.now() - begun) / 1_000_000)")
        say("failed=\(failed.withLock { $0 })")
        say("children=\(Counts(warden: warden.number).children)")
        let ending = MonotonicClock.now()
        warden.shutDown()
        loop.shutDown()
        say("ended.milliseconds=\((MonotonicClock.now() - ending) / 1_000_000)")
        say("children.left=\(Counts(warden: warden.number).children)")
    }
}
