internal import AnnexLinux
internal import AnnexSupervision
internal import Glibc
internal import Synchronization

/// The running extensions of one broker, until their ends are reported.
///
/// This object is separate, so that a closure on the event loop's thread can report an end without a reference to the
/// broker. Releasing the last reference to a broker waits for its warden, and the event loop must not wait.
final class RunningExtensions: Sendable {
    private struct State {
        var extensions: [UInt64: SupervisedExtension] = [:]
        var last: UInt64 = 0
    }

    /// How long a broker that ends waits for the ends of its extensions. A killed process ends within milliseconds,
    /// unless the kernel cannot end it.
    static let patience = Duration.seconds(5)

    private let state = Mutex(State())

    /// Adds the extension that `make` returns. `make` gets a closure that removes the extension again.
    func add(_ make: (_ remove: @escaping @Sendable () -> Void) -> SupervisedExtension) -> SupervisedExtension {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let supervised = make { [self] in remove(number) }
        state.withLock { $0.extensions[number] = supervised }
        return supervised
    }

    var all: [SupervisedExtension] { state.withLock { Array($0.extensions.values) } }

    private func remove(_ number: UInt64) {
        // The last reference is released outside the lock.
        let removed = state.withLock { $0.extensions.removeValue(forKey: number) }
        withExtendedLifetime(removed) {}
    }

    // MARK: The end of the broker

    /// Ends every extension with the reason `brokerShutdown`. An extension whose host has dismissed it already ends
    /// with the reason of that dismissal.
    func endAll() {
        for supervised in all { supervised.end(for: .brokerShutdown) }
    }

    /// Ends every extension, and waits until the ends are reported, but not longer than until the deadline. If another
    /// thread launches an extension meanwhile, this function ends that extension too.
    ///
    /// The event loop's thread reports the ends, so this function does not wait on that thread.
    private func endAll(by deadline: UInt64) {
        guard (try? EventLoop.shared())?.isCurrent != true else { return endAll() }
        while !state.withLock({ $0.extensions.isEmpty }), MonotonicClock.now() < deadline {
            endAll()
            MonotonicClock.pause()
        }
    }

    // MARK: The exit of the program

    /// The extensions of all brokers of this process.
    private static let ofThisProcess = Mutex<[ObjectIdentifier: RunningExtensions]>([:])

    /// SYNC: relaxed: the thread that registers the exit handler sets this value, and the exit handler reads it.
    private static let maker = Atomic<Int32>(0)

    /// From now on, an exit of the program ends these extensions and waits for their reports. Without this wait, the
    /// process could be gone before its event loop learns of the ends.
    func endAtExit() {
        let isFirst = Self.ofThisProcess.withLock { known in
            let maker = Self.maker.exchange(getpid(), ordering: .relaxed)
            // A forked child must not end the extensions of its parent.
            if maker != getpid() { known = [:] }
            known[ObjectIdentifier(self)] = self
            return maker == 0
        }
        if isFirst { atexit { RunningExtensions.endAllAtExit() } }
    }

    /// Ends every extension, and waits a few seconds at most until the ends are reported. After this call, the exit of
    /// the program no longer concerns these extensions.
    func endAllAndWait() {
        endAll(by: MonotonicClock.deadline(after: Self.patience))
        _ = Self.ofThisProcess.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
    }

    private static func endAllAtExit() {
        // A forked child has no extensions and no event loop. In the child, the lock may be held for ever.
        guard getpid() == maker.load(ordering: .relaxed) else { return }
        let all = ofThisProcess.withLock { Array($0.values) }
        for running in all { running.endAll() }
        let deadline = MonotonicClock.deadline(after: patience)
        for running in all { running.endAll(by: deadline) }
        ReportQueue.finishAtLast()
    }
}
