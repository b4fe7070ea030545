import AnnexLaunch
import AnnexLinux
import Glibc
import Synchronization

private let signals = Atomic<Int>(0)
private let reaped = Atomic<Int>(0)

/// The ways in which a host may treat its own children, which the library must not disturb.
enum Conduct: String {
    case handler, wait, ignored, nothing

    func watch(_ bench: Bench) throws {
        var waiter = pthread_t()
        switch self {
        case .handler: signal(SIGCHLD) { _ in signals.add(1, ordering: .relaxed) }
        case .ignored: signal(SIGCHLD, SIG_IGN)
        case .nothing: break
        case .wait: pthread_create(&waiter, nil, { _ in Conduct.reapForever() }, nil)
        }
        let blocked = Conduct.blockedSignals()
        let loop = try EventLoop()
        let gate = try Bench.Gate()
        for _ in 0..<20 {
            let warden = try Warden.start(on: loop, programs: [.carried])
            try bench.run(bench.plan("exit", "3"), on: warden, gate)
            warden.shutDown()
        }
        loop.shutDown()
        // If the library left a child that the host could wait for, this call finds it.
        say("left=\(waitpid(-1, nil, WNOHANG | 0x4000_0000) > 0)")
        say("signals=\(signals.load(ordering: .relaxed))")
        say("reaped=\(reaped.load(ordering: .relaxed))")
        say("mask.same=\(Conduct.blockedSignals() == blocked)")
    }

    private static func reapForever() -> UnsafeMutableRawPointer? {
        while true {
            if waitpid(-1, nil, 0) > 0 { reaped.add(1, ordering: .relaxed) } else { sched_yield() }
        }
    }

    private static func blockedSignals() -> [Int32] {
        var set = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &set)
        return (1..<65).filter { sigismember(&set, $0) == 1 }
    }
}
