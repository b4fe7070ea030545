internal import AnnexLinux
internal import Synchronization

/// A thread for slow work on one sandbox's calls. The thread starts with its first job and ends with this object.
final class DeskThread: Sendable {
    private let name: String
    private let loop = Mutex<EventLoop?>(nil)

    init(name: String) {
        self.name = name
    }

    /// - Parameter moment: when to run the job, in the time of `MonotonicClock`; 0 for at once.
    /// - Returns: false if the thread cannot be made.
    func perform(at moment: UInt64 = 0, _ job: @escaping @Sendable () -> Void) -> Bool {
        let loop = loop.withLock { loop in
            if loop == nil { loop = try? EventLoop(name: name) }
            return loop
        }
        guard let loop else { return false }
        if moment == 0 {
            loop.execute(job)
        } else {
            loop.schedule(at: moment, job)
        }
        return true
    }

    deinit {
        guard let loop = loop.withLock({ $0.take() }) else { return }
        // The loop shuts itself down on its own thread, so that no thread waits for its end. This `deinit` may even run
        // on that thread.
        loop.execute { loop.shutDown() }
    }
}
