import AnnexLinux
import AnnexTestSupport
import Glibc
import Synchronization
import Testing

@testable import AnnexBroker

/// The queue starts a thread for its work. If a process has no memory for another thread, the queue must not lose that
/// work. The test runs in a separate process, because the limit on memory belongs to a process.
@Suite(.timeLimit(.minutes(20))) struct ReportQueueTests {
    @Test func `work waits until a thread can be created for it`() async {
        await #expect(processExitsWith: .success) {
            let queue = ReportQueue()
            let isWritten = Mutex(false)
            let usual = ReportQueueTests.takeThreads()
            guard queue.add({ isWritten.withLock { $0 = true } }) else { exit(2) }
            if queue.finish(within: .zero) { exit(3) }
            ReportQueueTests.setLimit(usual)
            guard queue.finish(within: .seconds(600)), isWritten.withLock({ $0 }) else { exit(4) }
        }
    }

    /// After this call, this process cannot start another thread. It has room for small allocations, but not for a
    /// stack.
    /// - Returns: the previous limit.
    private static func takeThreads() -> rlimit {
        var usual = rlimit()
        getrlimit(resource, &usual)
        let pages = ProcText.lines(of: "/proc/self/statm").first?.split(separator: " ").first.map { UInt($0) ?? 0 }
        var few = usual
        few.rlim_cur = rlim_t((pages ?? 0) * UInt(getpagesize()) + 1 << 20)
        setLimit(few)
        // The C library uses the stacks of ended threads again, so the idle threads keep all stacks in use.
        do throws(SystemError) {
            while true { _ = try WorkerThread("annex-idle") { while true { sleep(1000) } } }
        } catch {}
        return usual
    }

    private static func setLimit(_ limit: rlimit) {
        var limit = limit
        setrlimit(resource, &limit)
    }

    private static let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
}
